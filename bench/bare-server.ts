// What the hub is measured beside: bare node:http servers that parse what they get and answer JSON.
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Answers with JSON of the given size. Gives the port. */
export function serveEcho(bytes: number): Promise<number> {
  const answer = { ok: true, filled: "x".repeat(Math.max(0, bytes - 24)) };
  return serve((_path, outgoing) => write(outgoing, answer));
}

/** A long poll: `/api/wait_for_change` is held until somebody posts something else. Gives the port. */
export function servePoll(): Promise<number> {
  let waiting: ServerResponse[] = [];
  return serve((path, outgoing) => {
    if (path === "/api/wait_for_change") return void waiting.push(outgoing);
    write(outgoing, { ok: true });
    for (const held of waiting) write(held, { changed: true });
    waiting = [];
  });
}

/** Streams a body of the given size out of memory; takes bodies and drops them, at `/disk` writes each to a file with an fsync. */
export function serveFiles(bytes: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const part = Buffer.alloc(256 * 1024, "x");
  const parts = () =>
    Array.from({ length: Math.ceil(bytes / part.length) }, (_, at) => part.subarray(0, bytes - at * part.length));
  let count = 0;
  const take = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.url === "/disk") {
      await pipeline(incoming, createWriteStream(join(folder, String(count++)), { flush: true }));
    } else for await (const _ of incoming);
    write(outgoing, { ok: true });
  };
  return listen(
    createServer((incoming, outgoing) => {
      if (incoming.method === "POST") return void take(incoming, outgoing);
      outgoing.writeHead(200, { "content-type": "application/octet-stream", "content-length": bytes });
      void pipeline(Readable.from(parts()), outgoing);
    }),
  );
}

async function serve(answer: (path: string, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    incoming.on("end", () => {
      if (text !== "") JSON.parse(text);
      answer(incoming.url ?? "", outgoing);
    });
  });
  return listen(server);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // it listens
}

function write(outgoing: ServerResponse, answer: object) {
  const body = JSON.stringify(answer);
  outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}
