import { fail, HubError } from "../core/errors.ts";
import { type Call, type Core, execute } from "../core/execute.ts";
import { frameForMcp } from "../core/frame.ts";
import type { Log } from "../core/log.ts";
import type { AskPerson, Caller, Operation } from "../core/operation.ts";
import { goneSignal, type SignedAsk, whenSent } from "./exchange.ts";
import { writeAnswer } from "./mcp-answer.ts";
import { decodeArguments } from "./mcp-schema.ts";
import { AUTH_TOKEN, type Tool } from "./mcp-tools.ts";

/** What a call needs besides what was sent. */
export interface Surroundings {
  readonly core: Core;
  readonly log: Log;
  readonly ask: SignedAsk;
  readonly signInByTool: SignInByTool;
}

/** Who a token stands for that a guest's call carried. @throws HubError `not_signed_in` */
export type SignInByTool = (ask: SignedAsk, token: string) => Promise<Caller>;

/** What was sent, its form checked. */
export interface ToolCall {
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  /** The request's `_meta`, as sent. */
  readonly meta: unknown;
  /** The hash of what the person accepted in the client's prompt before this call. */
  readonly consent?: string | undefined;
}

/** A tool's result: one text, the only thing that every client shows its model. */
export interface ToolResult {
  readonly text: string;
  /** `ok`, or the code of why not. */
  readonly outcome: string;
  /** What the person could settle, if its client can ask. */
  readonly asks?: AskPerson | undefined;
}

/** Runs a tool. Never throws: a refusal is a result that begins with its code, a fault one that gives a trace. */
export async function callTool(around: Surroundings, { tool, input, meta, consent }: ToolCall): Promise<ToolResult> {
  const { operation, schema } = tool;
  try {
    // It decodes the fields of an object one by one, so it gives one.
    const decoded = decodeArguments(schema, input) as Readonly<Record<string, unknown>>;
    const { caller, input: own } = await identify(around, operation, decoded);
    const call = { callId: callIdOf(meta), consent };
    const value = await run({ ...around, ask: { ...around.ask, caller } }, operation, own, call);
    return { text: writeAnswer(operation, value), outcome: "ok", asks: operation.asks?.(value) };
  } catch (error) {
    const outcome = error instanceof HubError ? error.code : "internal";
    return { text: refusal(error, operation.name, around), outcome };
  }
}

/** Who calls, and the input without what said so. A guest's token is an argument; everybody else's came before. */
async function identify({ ask, signInByTool }: Surroundings, { needs }: Operation, input: ToolCall["input"]) {
  if (!ask.caller.roles.has("guest") || needs === "anyone") return { caller: ask.caller, input };
  const { [AUTH_TOKEN]: token, ...own } = input;
  if (typeof token !== "string") throw fail("bad_input", { field: AUTH_TOKEN, problem: "must be a token from login" });
  return { caller: await signInByTool(ask, token), input: own };
}

/**
 * What needs an identity and was called without one. Where a browser can sign in, the answer to it is the status 401, which
 * sends the client there.
 */
export function lacksIdentity(
  { ask }: Surroundings,
  { operation: { needs } }: Tool,
  input: ToolCall["input"],
): boolean {
  return ask.caller.roles.has("guest") && needs !== "anyone" && (input[AUTH_TOKEN] ?? "") === "";
}

/** Runs an operation for this surface and gives its answer. */
export async function run(
  { core, log, ask }: Surroundings,
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { callId, consent }: Pick<Call, "callId" | "consent"> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { value, settled } = await execute(core, operation, {
    caller: ask.caller,
    input,
    surface: "mcp",
    ...(operation.kind === "command" && { callId, consent }),
    ...(operation.kind === "wait" && { signal: goneSignal(ask.outgoing) }),
  });
  if (settled) whenSent(ask.outgoing, settled, (cause) => log.error({ cause, operation: operation.name }, "hand-over"));
  return value;
}

/** What a model reads of a failure: the code, the fact, the next step, the facts as data. */
export function refusal(error: unknown, operation: string, { log, ask: { trace } }: Surroundings): string {
  if (error instanceof HubError) {
    if (error.cause !== undefined) log.error({ cause: error.cause, trace, operation }, "the store could not");
    return tell(error);
  }
  log.error({ cause: error, trace, operation }, "fault");
  return `internal: This is a fault of the hub. Tell the operator the trace. ${JSON.stringify({ trace })}`;
}

/** More data than this (characters) says nothing that the sentence does not say shorter. */
const MOST_DATA = 600;

function tell({ code, message, next, data }: HubError): string {
  const facts = frameForMcp(data);
  return `${code}: ${message} ${next}${facts === "{}" || facts.length > MOST_DATA ? "" : ` ${facts}`}`;
}

const CALL_ID = /^[\x21-\x7e]{1,255}$/;

/** The client's own name for this call, where it sends one: it makes a repeated call safe without a key. */
function callIdOf(meta: unknown): string | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const id: unknown = Reflect.get(meta, "claudecode/toolUseId");
  return typeof id === "string" && CALL_ID.test(id) ? id : undefined;
}
