import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type ErrorCode, ERRORS } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Lets answers under way finish for three seconds, then ends every connection. */
  close(): Promise<void>;
}

/** Bounds (ms, bytes) on those who send slowly or much; an answer may take as long as it wants. */
const BOUNDS: ServerOptions = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  keepAlive: true,
  keepAliveInitialDelay: 15_000,
  // The gate refuses these in the same words as everything else.
  requireHostHeader: false,
};
/** In it a request must have come whole, but for what the largest body takes beyond it. */
const REQUEST_TIMEOUT = 30_000;
const MOST_CONNECTIONS = 20_000;
const FAREWELL = 3_000;

/**
 * Listens for HTTP.
 *
 * @param bodyMs  how long (ms) a sender may take for the largest body, beyond what every request may.
 * @throws the system's error when the port is taken. After it, nothing is left open.
 */
export function listen(
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
  { host, port, log, bodyMs = 0 }: { host: string; port: number; log: Log; bodyMs?: number },
): Promise<Listening> {
  const bounds = { ...BOUNDS, requestTimeout: REQUEST_TIMEOUT + Math.ceil(bodyMs) };
  const server = createServer(bounds, (incoming, outgoing) => void answer(incoming, outgoing));
  server.maxConnections = MOST_CONNECTIONS;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuseUnreadable(error, socket));
  server.on("connect", (_, socket: Duplex) => void socket.end(rawAnswer("method_not_allowed", "This is no proxy.")));
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 4_096 }, () => {
      server.off("error", reject).on("error", (cause) => log.error({ cause }, "server"));
      const address = server.address();
      if (typeof address !== "object" || address === null) throw new Error("A listening server has no port.");
      resolve({ port: address.port, close: () => closeServer(server) });
    });
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Kept-alive connections become idle one after another; nobody else would close them.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const end = setTimeout(() => server.closeAllConnections(), FAREWELL);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(end);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What the parser could not read has no request to answer; the sentence goes out on the bare connection. */
function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Duplex) {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  if (code === "HPE_HEADER_OVERFLOW")
    return void socket.end(rawAnswer("headers_too_large", ERRORS.headers_too_large.say()));
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return void socket.end(rawAnswer("bad_input", "The request took too long to arrive.", 408));
  socket.end(rawAnswer("bad_input", "The request is not well-formed HTTP/1.1."));
}

const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  405: "Method Not Allowed",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function rawAnswer(code: ErrorCode, message: string, status: number = ERRORS[code].status): string {
  const body = JSON.stringify({ error: { code, message, next: ERRORS[code].next, data: {}, trace: "-" } });
  const allow = status === 405 ? "Allow: GET, HEAD, POST, DELETE\r\n" : "";
  const head = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${head}${allow}Connection: close\r\n\r\n${body}`;
}
