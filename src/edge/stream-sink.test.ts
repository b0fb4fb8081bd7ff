import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { LIMITS } from "../core/limits.ts";
import { openSinks, type Sink } from "./stream-sink.ts";

/** One sink with a client at its other end that has not begun to read. */
async function openPair(times: { keepaliveMs: number; stallMs: number }) {
  const sinks = openSinks(times);
  const opened = Promise.withResolvers<{ sink: Sink; outgoing: ServerResponse }>();
  const server = createServer((_, outgoing) => opened.resolve({ sink: sinks.open(outgoing), outgoing }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // it listens
  const client: Socket = connect(port, "127.0.0.1").pause();
  client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return {
    ...(await opened.promise),
    client,
    async [Symbol.asyncDispose]() {
      sinks.close();
      client.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("a sink holds no more than its bound for a reader that stalls, cuts it off, and says so (P12)", async () => {
  await using pair = await openPair({ keepaliveMs: 60_000, stallMs: 200 });
  const { sink, outgoing } = pair;
  let held = 0;
  let result = true;
  // More than any system's own socket buffers take.
  for (let n = 0; n < 2_000 && result; n++) {
    const writing = sink.write("x".repeat(100_000));
    held = Math.max(held, outgoing.writableLength);
    result = await writing;
  }

  expect(result).toBe(false);
  expect(outgoing.destroyed).toBe(true);
  expect(held).toBeLessThanOrEqual(LIMITS.streamBufferBytes);
  expect(await sink.write("more")).toBe(false);
});

it("a sink goes on when a slow reader drains, with every byte in order", async () => {
  await using pair = await openPair({ keepaliveMs: 60_000, stallMs: 10_000 });
  const { sink, client } = pair;
  const text = "é😀".repeat(2_000_000);
  const written = sink.write(text);
  let received = "";
  client.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
  client.resume();

  expect(await written).toBe(true);
  sink.end();
  await once(client, "end").catch(() => undefined);
  const body = received.slice(received.indexOf("\r\n\r\n") + 4).replaceAll(/\r?\n?[0-9a-f]+\r\n/g, "");
  expect(body.replaceAll("\r\n", "") === text).toBe(true);
});

it("a sink keeps an idle stream alive, and says nothing more once it is ended", async () => {
  await using pair = await openPair({ keepaliveMs: 30, stallMs: 1_000 });
  const { sink, client } = pair;
  let received = "";
  client.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
  client.resume();

  await expect.poll(() => received.split(": keepalive\n\n").length).toBeGreaterThan(3);
  sink.end();
  await expect.poll(() => received.endsWith("0\r\n\r\n")).toBe(true);
});
