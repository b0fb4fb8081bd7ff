import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/** A server on loopback that is no hub, or stands before one. */
export interface OtherServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that came in. */
  readonly requests: number;
}

export async function openServer(answer: RequestListener): Promise<OtherServer> {
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    answer(incoming, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Takes requests and never answers. */
export function openDeaf(): Promise<OtherServer> {
  return openServer(() => undefined);
}

/** Hands requests on to a hub, and its answers back with some headers changed. */
export function openProxy(hub: string, headers: Readonly<Record<string, string>> = {}): Promise<OtherServer> {
  return openServer((incoming, outgoing) => {
    void (async () => {
      const { method = "GET", url = "/" } = incoming;
      const answer = await fetch(`${hub}${url}`, {
        method,
        headers: kept(incoming.headers),
        body: await buffer(incoming),
      });
      outgoing.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...headers });
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
}

function kept(headers: IncomingHttpHeaders): Record<string, string> {
  const own = new Set(["host", "connection", "content-length"]);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && !own.has(name) ? [[name, value]] : [],
    ),
  );
}

/** A line to a hub that can be cut. */
export interface Line extends AsyncDisposable {
  readonly url: string;
  /** What was asked for over it: method and address. */
  readonly asked: readonly string[];
  /** Cuts every connection, in the middle of whatever is on it. */
  cut(): void;
}

/** @param listenOn  port where it listens; a free one unless given. */
export async function openLine(hub: string, listenOn = 0): Promise<Line> {
  const { hostname, port: to } = new URL(hub);
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createTcpServer((socket) => {
    const beyond = connect(Number(to), hostname);
    socket.on("data", (bytes) => asked.push(...(/^[A-Z]+ \S+/.exec(bytes.toString("latin1")) ?? [])));
    for (const [one, other] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => undefined).on("close", () => (sockets.delete(one), other.destroy()));
      one.pipe(other);
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(listenOn, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
