import { type ErrorCode, fail, HubError } from "../core/errors.ts";
import type { Core } from "../core/execute.ts";
import { LIMITS } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { Operation } from "../core/operation.ts";
import { refuseMissingScope } from "../core/roles.ts";
import type { Reply, SignedAsk } from "./exchange.ts";
import { readJson } from "./json-body.ts";
import type { SignInByTool } from "./mcp-call.ts";
import { openDirectWay } from "./mcp-direct.ts";
import { makePrompts } from "./mcp-prompts.ts";
import { isRequestId, RPC, rpcError, rpcRefusal } from "./mcp-protocol.ts";
import { makeResources } from "./mcp-resources.ts";
import { openSdkWay } from "./mcp-sdk.ts";
import { makeToolTable } from "./mcp-tools.ts";

export interface McpParts {
  readonly core: Core;
  readonly operations: readonly Operation[];
  /** The hub's version, as clients are told. */
  readonly version: string;
  readonly log: Log;
}

export interface Mcp {
  /** Answers a request to /mcp of any method whose caller is known: Host, Origin and credential were checked before. */
  handle(ask: SignedAsk, signInByTool: SignInByTool): Promise<Reply>;
  close(): Promise<void>;
}

/** MCP over HTTP, stateless, with JSON answers: the revision 2026-07-28 and those with a handshake on one address. */
export function openMcp({ core, operations, version, log }: McpParts): Mcp {
  const tools = makeToolTable(operations);
  const answerDirectly = openDirectWay(version, tools);
  const sdk = openSdkWay({ version, tools, prompts: makePrompts(operations), resources: makeResources(operations) });

  async function answer(ask: SignedAsk, signInByTool: SignInByTool): Promise<Reply> {
    if (ask.method !== "POST") throw fail("method_not_allowed", { allowed: "POST" });
    if (!acceptsJson(ask.headers.accept)) throw fail("not_acceptable");
    const body = await readJson(ask.incoming, LIMITS.requestBytes);
    // Clients that were let in by browser ask their person for more when this comes as a status, and not else.
    const needs = tools.find(toolNameIn(body), ask.caller.roles)?.operation.needs;
    if (needs) refuseMissingScope(ask.caller, needs);
    const around = { core, log, ask, signInByTool };
    const direct = await answerDirectly(body, around);
    if (direct) return direct;
    if (hasLongId(body)) return rpcError(400, RPC.request, "The id of a message may have at most 256 characters.");
    return sdk.serve(body, around);
  }

  return {
    async handle(ask, signInByTool) {
      try {
        return await answer(ask, signInByTool);
      } catch (error) {
        // What a client has to sign in for is said in the same way for every address.
        if (error instanceof HubError && !SIGN_IN_HELPS.has(error.code)) return rpcRefusal(error);
        throw error;
      }
    },
    close: sdk.close,
  };
}

const SIGN_IN_HELPS: ReadonlySet<ErrorCode> = new Set(["not_signed_in", "scope_missing"]);

/** The tool that one message calls; empty for all else. */
function toolNameIn(body: unknown): string {
  if (typeof body !== "object" || body === null || !("method" in body) || body.method !== "tools/call") return "";
  const params: unknown = "params" in body ? body.params : undefined;
  const name: unknown = typeof params === "object" && params !== null && "name" in params ? params.name : undefined;
  return typeof name === "string" ? name : "";
}

/** Clients should name JSON and streams; curl names anything or nothing, and JSON is what all get. */
function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || JSON_ACCEPTED.test(accept);
}

const JSON_ACCEPTED = /(?:^|,)\s*(?:application\/(?:json|\*)|\*\/\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))|,|$)/i;

function hasLongId(body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => {
    const id: unknown = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
    return typeof id === "string" && !isRequestId(id);
  });
}
