import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { fail } from "../core/errors.ts";
import { type Log, logCall } from "../core/log.ts";
import type { Store } from "../store/store.ts";
import { isPublicSide } from "./addresses.ts";
import { type Ask, type Reply, send, type SignedAsk, whenSent, WRITTEN } from "./exchange.ts";
import { answerHealth } from "./health.ts";
import type { Gate } from "./middleware.ts";
import { type Challenge, type Refusal, refuse } from "./refusal.ts";
import type { Place, Router } from "./router.ts";

export interface AnswererParts {
  readonly store: Store;
  readonly log: Log;
  /** Told how each call ended, by the address or operation that it was for. */
  readonly count: (call: { readonly operation: string; readonly outcome: string; readonly seconds: number }) => void;
  readonly gate: Gate;
  readonly find: Router;
  readonly publicUrl: string | undefined;
  readonly challengeFor: (headers: IncomingHttpHeaders) => Challenge;
  /** A refusal for somebody before a browser. */
  readonly refusalPage: (refusal: Refusal) => Reply;
}

/** What the log tells of a call, filled in as it becomes known. */
interface Line {
  operation: string;
  who: string;
  outcome: string;
  /** Whether a person reads the answer: at a page's address, or where a browser was led to none of ours. */
  isRead: boolean;
}

/** Gives the function that answers every request: gate, route, credential, answer, a line in the log. It never throws. */
export function makeAnswerer(
  parts: AnswererParts,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const { store, log, count } = parts;
  const nextTrace = traces();
  return async (incoming, outgoing) => {
    const started = performance.now();
    const trace = nextTrace();
    const health = answerHealth(incoming, store);
    if (health) return send(outgoing, await health, trace);
    const isRead = incoming.headers["sec-fetch-dest"] === "document";
    const line: Line = { operation: "-", who: "-", outcome: "ok", isRead };
    try {
      const ask = admit(parts, incoming, outgoing, trace);
      deliver(ask, await route(parts, ask, line), line, log);
    } catch (error) {
      const refusal = refuse(error, trace, log, parts.challengeFor(incoming.headers));
      line.outcome = refusal.code;
      if (outgoing.headersSent) outgoing.destroy();
      else send(outgoing, line.isRead ? parts.refusalPage(refusal) : refusal.reply, trace);
    }
    const { operation, who, outcome } = line;
    const ms = performance.now() - started;
    count({ operation, outcome, seconds: ms / 1_000 });
    logCall(log, { operation, who, outcome, ms, trace });
  };
}

function admit({ gate }: AnswererParts, incoming: IncomingMessage, outgoing: ServerResponse, trace: string): Ask {
  const address = gate.admit(incoming);
  const { method = "", url = "", headers } = incoming;
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  const query = question < 0 ? "" : url.slice(question + 1);
  return { method, path, query, headers, params: {}, trace, address, incoming, outgoing };
}

function route({ find, gate, publicUrl }: AnswererParts, ask: Ask, line: Line): Promise<Reply | typeof WRITTEN> {
  const place = find(ask.method, ask.path);
  const hidden = place?.lanOnly && isPublicSide(ask.headers, publicUrl);
  if (!place || hidden) throw fail("not_found", { what: "such address" });
  line.isRead = place.page;
  line.operation = place.path;
  return serve(place, { ...ask, params: place.params }, gate, line);
}

async function serve(
  { route, open, takesGuests, allowed }: Place,
  ask: Ask,
  gate: Gate,
  line: Line,
): Promise<Reply | typeof WRITTEN> {
  if (open && route?.open) return route.run(ask);
  // A credential comes before the method: without one, an address tells nothing about itself.
  const provesPath = !(route && !route.open && route.provesNothing);
  const signIn = takesGuests ? gate.signInOrGuest : (one: Ask) => gate.signIn(one, provesPath);
  const signed: SignedAsk | undefined = open ? undefined : { ...ask, caller: await signIn(ask) };
  if (signed) line.who = `${signed.caller.handle}@${signed.caller.organization}`;
  if (!route || !signed || route.open) throw fail("method_not_allowed", { allowed });
  return route.run(signed);
}

function deliver({ outgoing, trace }: Ask, reply: Reply | typeof WRITTEN, line: Line, log: Log) {
  if (reply === WRITTEN) {
    if (outgoing.statusCode >= 400) line.outcome = String(outgoing.statusCode);
    return;
  }
  if (reply.status >= 400) line.outcome = String(reply.status);
  Object.assign(line, reply.logged);
  if (reply.settled) whenSent(outgoing, reply.settled, (cause) => log.warn({ cause, trace }, "hand-over not noted"));
  send(outgoing, reply, trace);
}

/** Names for requests: short, and not the same in two processes. */
function traces(): () => string {
  const process = randomBytes(5).toString("hex");
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
