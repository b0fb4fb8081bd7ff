import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Callers } from "../access/caller.ts";
import type { Throttle } from "../access/throttle.ts";
import { fail } from "../core/errors.ts";
import type { Core } from "../core/execute.ts";
import { type Log, logCall } from "../core/log.ts";
import type { Operation } from "../core/operation.ts";
import { isPublicSide } from "./addresses.ts";
import { type Ask, type Reply, type Route, send, type SignedAsk, whenSent, WRITTEN } from "./exchange.ts";
import { answerHealth } from "./health.ts";
import { type Gate, type GateSettings, openGate } from "./middleware.ts";
import { openApiRoute } from "./openapi.ts";
import { refuse } from "./refusal.ts";
import { restRoutes } from "./rest.ts";
import { makeRouter, type Place } from "./router.ts";
import { listen, type Listening } from "./server.ts";
import { setupPageRoutes } from "./setup-page.ts";
import { openStreams, type StreamParts } from "./stream.ts";
import { v1Routes } from "./v1.ts";

export interface HttpParts extends StreamParts {
  readonly core: Core;
  readonly callers: Callers;
  readonly throttle: Throttle;
  readonly operations: readonly Operation[];
  readonly settings: GateSettings;
  readonly mcp: { handle(ask: SignedAsk): Promise<Reply> };
  readonly log: Log;
}

export interface Http {
  /** @throws the system's error when the port is taken. */
  listen(host: string, port: number): Promise<Listening>;
}

/** Every address of the hub behind one gate. */
export function openHttp(parts: HttpParts): Http {
  const { core, operations, settings, log } = parts;
  const streams = openStreams(parts);
  const routes: Route[] = [
    ...restRoutes(core, operations),
    ...v1Routes(core, operations),
    streams.route,
    { method: "POST", path: "/mcp", run: (ask) => parts.mcp.handle(ask) },
    openApiRoute(operations, core.settings.version),
    ...setupPageRoutes(core.settings),
  ];
  const answer = makeAnswerer(parts, makeRouter(routes), openGate(settings, parts.callers, parts.throttle));
  return {
    async listen(host, port) {
      const { port: taken, close } = await listen((incoming, outgoing) => void answer(incoming, outgoing), { host, port, log });
      return {
        port: taken,
        async close() {
          await close();
          streams.close();
        },
      };
    },
  };
}

/** What the log tells of a call, filled in as it becomes known. */
interface Line {
  operation: string;
  who: string;
  outcome: string;
}

/** Gives the function that answers every request; it never throws. */
function makeAnswerer({ core, settings, log }: HttpParts, find: ReturnType<typeof makeRouter>, gate: Gate) {
  const nextTrace = traces();

  async function run(incoming: IncomingMessage, outgoing: ServerResponse, trace: string, line: Line): Promise<Reply | typeof WRITTEN> {
    const address = gate.admit(incoming);
    const { method = "", url = "", headers } = incoming;
    const question = url.indexOf("?");
    const path = question < 0 ? url : url.slice(0, question);
    const place = find(method, path);
    if (!place || (place.lanOnly && isPublicSide(headers, settings.CREWROOM_PUBLIC_URL))) throw fail("not_found", { what: "such address" });
    line.operation = place.route?.path ?? path.slice(0, 100);
    const query = question < 0 ? "" : url.slice(question + 1);
    const ask: Ask = { method, path, query, headers, params: place.params, trace, address, incoming, outgoing };
    return serve(place, ask, line);
  }

  async function serve({ route, open, allowed }: Place, ask: Ask, line: Line): Promise<Reply | typeof WRITTEN> {
    // A credential comes before the method: without one, an address tells nothing about itself.
    const signed = open ? undefined : await signIn(ask, line);
    if (!route) throw fail("method_not_allowed", { allowed });
    if (route.open) return route.run(ask);
    return route.run(signed ?? (await signIn(ask, line)));
  }

  async function signIn(ask: Ask, line: Line): Promise<SignedAsk> {
    const caller = await gate.signIn(ask);
    line.who = `${caller.handle}@${caller.organization}`;
    return { ...ask, caller };
  }

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const started = performance.now();
    const trace = nextTrace();
    const health = answerHealth(incoming, core.store);
    if (health) return send(outgoing, await health, trace);
    const line: Line = { operation: "-", who: "-", outcome: "ok" };
    try {
      const reply = await run(incoming, outgoing, trace, line);
      if (reply !== WRITTEN) {
        if (reply.status >= 400) line.outcome = String(reply.status);
        Object.assign(line, reply.logged);
        if (reply.settled) whenSent(outgoing, reply.settled, (cause) => log.warn({ cause, trace }, "hand-over not noted"));
        send(outgoing, reply, trace);
      }
    } catch (error) {
      const { code, reply } = refuse(error, trace, log);
      line.outcome = code;
      if (outgoing.headersSent) outgoing.destroy();
      else send(outgoing, reply, trace);
    }
    logCall(log, { ...line, ms: performance.now() - started, trace });
  };
}

/** Names for requests: short, and not the same in two processes. */
function traces(): () => string {
  const process = randomBytes(5).toString("hex");
  let count = 0;
  return () => `${process}-${(count++).toString(36)}`;
}
