/** A message of JSON-RPC as far as the bridge looks into it. */
export type Json = Readonly<Record<string, unknown>>;

export interface Request {
  readonly method: string;
  /** Undefined for a notification, which nobody answers. */
  readonly id: string | number | undefined;
  readonly params: Json;
}

/** Codes of JSON-RPC that are answered here. */
export const RPC = { parse: -32_700, request: -32_600, method: -32_601, refused: -32_000 } as const;

/** The revision without a handshake. */
export const MODERN = "2026-07-28";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** The request or notification in a message; undefined when it is something else. */
export function readRequest(message: unknown): Request | undefined {
  if (!isJson(message)) return undefined;
  const { method, id, params } = message;
  if (typeof method !== "string") return undefined;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number") return undefined;
  return { method, id, params: isJson(params) ? params : {} };
}

/** The revision that a request says it is of; undefined in those that begin with a handshake. */
export function versionOf({ params }: Request): string | undefined {
  const meta = params["_meta"];
  const version = isJson(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === "string" ? version : undefined;
}

/**
 * What the hub wants to see of a message before it reads it.
 *
 * @param agreed  the revision of the handshake, where there was one.
 * @source Model Context Protocol 2026-07-28, "Streamable HTTP": standard headers.
 */
export function headersOf(request: Request, agreed: string | undefined): Record<string, string> {
  const version = versionOf(request);
  const shared = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  if (version === undefined) return { ...shared, ...(agreed !== undefined && { "mcp-protocol-version": agreed }) };
  const name = request.params["name"] ?? request.params["uri"];
  return {
    ...shared,
    "mcp-protocol-version": headerValue(version),
    "mcp-method": headerValue(request.method),
    ...(typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** What a header cannot hold goes out in the form that the protocol has for it. */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?")) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
