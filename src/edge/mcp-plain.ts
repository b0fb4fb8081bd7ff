import type { IncomingHttpHeaders } from "node:http";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import { isHandshakeVersion, isRequestId, MODERN } from "./mcp-protocol.ts";

/** A `tools/call` or `tools/list` about whose form there is no doubt. */
export interface PlainRequest {
  readonly era: "handshake" | "modern";
  readonly id: string | number;
  /** What `tools/call` asks; nothing for `tools/list`. */
  readonly call: { readonly name: string; readonly input: Json; readonly meta: Json } | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Recognizes the two requests that make up nearly all traffic, when nothing about them is unusual. Everything else, whatever
 * is wrong or rare about it, is the SDK's to judge: this only ever says yes to what the SDK would serve. Why: decision 0006.
 */
export function openPlainRequests(): (body: unknown, headers: IncomingHttpHeaders) => PlainRequest | undefined {
  const isAccepted = acceptedEnvelopes();
  return (body, headers) => {
    if (!isJson(body) || body["jsonrpc"] !== "2.0" || !isRequestId(body["id"])) return undefined;
    const { id, method, params = {} } = body;
    if (!isJson(params) || Object.keys(body).length !== ("params" in body ? 4 : 3)) return undefined;
    const { _meta: meta = {} } = params;
    if (!isJson(meta) || !isPlainToken(meta["progressToken"])) return undefined;
    const call = callOf(method, params, meta);
    if (call === "unusual") return undefined;
    const era = eraOf(headers, meta);
    if (era === undefined) return undefined;
    if (era === "modern" && !(namesTheSame(headers, method, call?.name) && isAccepted(body, meta))) return undefined;
    return { era, id, call };
  };
}

function callOf(method: unknown, params: Json, meta: Json): PlainRequest["call"] | "unusual" {
  const allowed = method === "tools/call" ? CALL_PARAMS : method === "tools/list" ? LIST_PARAMS : undefined;
  if (!allowed) return "unusual";
  for (const key of Object.keys(params)) if (!allowed.has(key)) return "unusual";
  if (method === "tools/list") return undefined;
  const { name, arguments: input = {} } = params;
  return typeof name === "string" && isJson(input) ? { name, input, meta } : "unusual";
}

const CALL_PARAMS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
const LIST_PARAMS: ReadonlySet<string> = new Set(["_meta"]);

function eraOf(headers: IncomingHttpHeaders, meta: Json): PlainRequest["era"] | undefined {
  const version = headers["mcp-protocol-version"];
  const claimed = meta[PROTOCOL_VERSION_META_KEY];
  if (version === MODERN && claimed === MODERN) return "modern";
  const isHandshake =
    (version === undefined || isHandshakeVersion(version)) &&
    !Object.keys(meta).some((key) => key.startsWith(RESERVED));
  return isHandshake ? "handshake" : undefined;
}

const RESERVED = "io.modelcontextprotocol/";

function namesTheSame(headers: IncomingHttpHeaders, method: unknown, name: string | undefined): boolean {
  return headers["mcp-method"] === method && (name === undefined || headers["mcp-name"] === name);
}

/** Judges a client's envelope by the SDK's own rules, and each one once: a client sends the same with every request. */
function acceptedEnvelopes(): (body: Json, meta: Json) => boolean {
  const accepted = new Set<string>();
  return (body, meta) => {
    // By name: a key that is null is not one that is not there.
    const envelope = JSON.stringify(Object.fromEntries(ENVELOPE.map((key) => [key, meta[key]])));
    if (accepted.has(envelope)) return true;
    if (Object.keys(meta).some((key) => key.startsWith(RESERVED) && !ENVELOPE.includes(key))) return false;
    if (classifyInboundRequest({ httpMethod: "POST", protocolVersionHeader: MODERN, body }).kind !== "modern")
      return false;
    if (accepted.size >= MOST_ENVELOPES) accepted.clear();
    accepted.add(envelope);
    return true;
  };
}

const ENVELOPE: readonly string[] = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];
const MOST_ENVELOPES = 1_000;

function isPlainToken(token: unknown): boolean {
  return token === undefined || typeof token === "string" || Number.isSafeInteger(token);
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
