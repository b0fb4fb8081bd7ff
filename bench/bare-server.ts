// What the hub is measured beside: bare node:http servers that parse what they get and answer JSON.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

async function serve(answer: (path: string, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    incoming.on("end", () => {
      if (text !== "") JSON.parse(text);
      answer(incoming.url ?? "", outgoing);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port; // it listens
}

function write(outgoing: ServerResponse, answer: object) {
  const body = JSON.stringify(answer);
  outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }).end(body);
}
