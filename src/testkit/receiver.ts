import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What arrived at a receiver. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server on loopback that something is sent to. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** As `CREWROOM_OUTBOUND_HOSTS` names it. */
  readonly host: string;
  readonly received: readonly Received[];
  /** Resolves once so many arrived in all, with them. */
  arrivals(count: number): Promise<readonly Received[]>;
  /** Answers with this from now on: a status, with a Location where it has one. */
  answer(status: number, location?: string): void;
}

/** Starts one; it answers 204 unless told otherwise. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<{ readonly count: number; readonly done: () => void }>();
  let status = 204;
  let location: string | undefined;
  const server = createServer((asked, answer) => {
    const chunks: Buffer[] = [];
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => {
      const { method = "", url: path = "", headers } = asked;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString("utf8") });
      answer.writeHead(status, location === undefined ? {} : { location }).end();
      for (const one of waiting) if (received.length >= one.count) one.done();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    received,
    async arrivals(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const one = { count, done: resolve };
      waiting.add(one);
      if (received.length >= count) resolve();
      await promise;
      waiting.delete(one);
      return received;
    },
    answer(next, to) {
      status = next;
      location = to;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
