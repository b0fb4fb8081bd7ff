import type { ErrorCode, HubError } from "../core/errors.ts";
import { json, type Reply } from "./exchange.ts";

/** The revision without a handshake: every request stands alone. */
export const MODERN = "2026-07-28";

/** The revisions that begin with `initialize`, the newest first. */
export const HANDSHAKE: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

export function isHandshakeVersion(version: unknown): boolean {
  return HANDSHAKE.some((known) => known === version);
}

/** The only one whose clients may send several messages as a list; a request without a version header is of it. */
export const BATCHING = "2025-03-26";

/** How the hub names itself to clients. */
export function serverInfo(version: string) {
  return { name: "crewroom", title: "Crewroom", version };
}

/** How long (ms) a client may keep what it was told, and that nobody may keep it for others: it differs by credential. */
export const CACHE = {
  "server/discover": { ttlMs: 300_000, cacheScope: "private" },
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  "prompts/list": { ttlMs: 60_000, cacheScope: "private" },
  "resources/list": { ttlMs: 60_000, cacheScope: "private" },
  "resources/templates/list": { ttlMs: 60_000, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
} as const;

/** Characters of a request's id at most: clients use numbers and UUIDs, and every id is sent back. */
const MOST_ID = 256;

export function isRequestId(id: unknown): id is string | number {
  return typeof id === "string" ? id.length <= MOST_ID : Number.isSafeInteger(id);
}

/** Codes of JSON-RPC and of the protocol that are answered here. */
export const RPC = { parse: -32_700, request: -32_600, params: -32_602, internal: -32_603, refused: -32_000 } as const;

/** What JSON-RPC itself calls a refusal; for all others there is one code. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = { not_json: RPC.parse, bad_input: RPC.request };

/** A JSON-RPC error with an HTTP status of its own. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return json(status, { jsonrpc: "2.0", error: { code, message }, id: null }, headers);
}

/** A refusal of the hub before there was a message to answer. */
export function rpcRefusal({ code, status, message, next }: HubError): Reply {
  const headers = {
    ...(code === "method_not_allowed" && { allow: "POST" }),
    ...(code === "too_large" && { connection: "close" }),
  };
  return rpcError(status, RPC_CODES[code] ?? RPC.refused, `${code}: ${message} ${next}`, headers);
}
