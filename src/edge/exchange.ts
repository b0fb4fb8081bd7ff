import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "../core/operation.ts";

/** A request that passed the gate: its Host and Origin are allowed, its address is known. */
export interface Ask {
  readonly method: string;
  /** As sent, without the query: nothing in it is decoded. */
  readonly path: string;
  /** What stands behind the `?`, as sent. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  /** Names this request in the answer and in the log. */
  readonly trace: string;
  readonly address: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** A request whose credential holds. */
export interface SignedAsk extends Ask {
  readonly caller: Caller;
}

export interface Reply {
  readonly status: number;
  /** A list when a header comes several times, as Set-Cookie may. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array;
  /** Told once whether the answer was written out whole or was cut. */
  readonly settled?: Settled | undefined;
  /** What the log tells of it, where the address and the status say too little. */
  readonly logged?: { readonly operation: string; readonly outcome: string };
}

export type Settled = (written: boolean) => Promise<void>;

/** The route wrote the answer itself. */
export const WRITTEN = "written";

/** What a route does with a request. `open` ones ask for no credential; `lanOnly` ones are not there for those who come through a proxy;
 * `takesGuests` lets in who has none where sign-in by tools is on; `provesNothing`: a call does not show that a session works by it;
 * at a `page`, what goes wrong is told on a page too. */
export type Route = Readonly<{ method: "GET" | "POST" | "DELETE"; path: string; lanOnly?: true; page?: true }> &
  (
    | Readonly<{ open: true; run: (ask: Ask) => Reply | Promise<Reply | typeof WRITTEN> }>
    | Readonly<{
        open?: false;
        takesGuests?: true;
        provesNothing?: true;
        run: (ask: SignedAsk) => Promise<Reply | typeof WRITTEN>;
      }>
  );

/** An answer is for its caller alone and is never kept by what lies between. */
export const NEVER_KEPT = {
  "cache-control": "no-store",
  vary: "Authorization",
  "x-content-type-options": "nosniff",
} as const;

export const JSON_HEADERS = { "content-type": "application/json", ...NEVER_KEPT } as const;

/** An answer in JSON. */
export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Reply {
  return { status, headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS, body: JSON.stringify(value) };
}

/** Tells `settled` how the answer on this connection ends: handed to the system whole, or not. */
export function whenSent(outgoing: ServerResponse, settled: Settled, onFault: (cause: unknown) => void) {
  // What was not noted as written is handed out again, so a fault here loses nothing.
  const tell = () => void settled(outgoing.writableFinished).catch(onFault);
  if (outgoing.destroyed) tell();
  else outgoing.once("close", tell);
}

/** Writes an answer out. HEAD gets the headers alone. */
export function send(outgoing: ServerResponse, { status, headers, body }: Reply, trace: string) {
  outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body), "x-request-id": trace });
  if (status === 413) return closePolitely(outgoing, body);
  outgoing.end(outgoing.req.method === "HEAD" ? undefined : body);
}

/** How long (ms) the rest of a body is read and dropped after its refusal. */
const PATIENCE = 500;

/** Closing at once would reset the connection under a client that still sends, and it would never see the answer. */
function closePolitely(outgoing: ServerResponse, body: Reply["body"]) {
  outgoing.write(body);
  if (outgoing.req.complete) return void outgoing.end();
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, PATIENCE);
  outgoing.req.once("close", end).once("end", end).resume();
}

/** Aborts once the client has gone away before its answer was whole. Costs something: only for what waits. */
export function goneSignal(outgoing: ServerResponse): AbortSignal {
  const control = new AbortController();
  if (outgoing.destroyed) control.abort();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) control.abort();
  });
  return control.signal;
}
