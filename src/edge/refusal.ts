import { HubError } from "../core/errors.ts";
import { asHubError } from "../core/execute.ts";
import type { Log } from "../core/log.ts";
import { json, type Reply } from "./exchange.ts";

/** What the caller of a failed request is told, and what it is called in the log. */
export interface Refusal {
  readonly code: string;
  readonly reply: Reply;
  /** The same for somebody who reads a page. */
  readonly told: { readonly message: string; readonly next: string; readonly trace: string };
}

/** How a client is told to sign in, or to sign in for more. Undefined for what no sign-in would help. */
export type Challenge = (error: HubError) => string | undefined;

/** Turns whatever was thrown into an answer. A fault of ours is logged with its cause; the caller gets only the trace. */
export function refuse(thrown: unknown, trace: string, log: Log, challenge?: Challenge): Refusal {
  // The store is asked outside of operations as well: who is calling, what a stream goes on with.
  const error = asHubError(thrown);
  if (error instanceof HubError) {
    if (error.cause !== undefined) log.error({ cause: error.cause, trace }, "the store could not");
    const { code, message, next, data, status } = error;
    const reply = json(status, { error: { code, message, next, data, trace } }, headersFor(error, challenge));
    return { code, reply, told: { message, next, trace } };
  }
  log.error({ cause: error, trace }, "fault");
  const body = {
    code: "internal",
    message: "This is a fault of the hub.",
    next: "Tell the operator the trace.",
    data: {},
    trace,
  };
  return { code: "internal", reply: json(500, { error: body }), told: body };
}

function headersFor(error: HubError, challenge: Challenge | undefined): Record<string, string> | undefined {
  const { code, data } = error;
  const seconds = data["seconds"];
  if (typeof seconds === "number") return { "retry-after": String(seconds) };
  const asked = challenge?.(error);
  if (asked !== undefined) return { "www-authenticate": asked };
  if (code === "method_not_allowed") return { allow: String(data["allowed"]) };
  // What is still being sent is not worth waiting for.
  if (code === "too_large" || code === "upload_stalled") return { connection: "close" };
  if (code === "no_such_range") return { "content-range": `bytes */${String(data["size"])}` };
  return undefined;
}
