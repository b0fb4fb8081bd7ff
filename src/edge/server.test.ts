import { connect } from "node:net";
import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { requestText, sendRaw } from "../testkit/wire.ts";

const head = (hub: TestHub, ...more: string[]) => [
  "Host: localhost",
  `Authorization: Bearer ${hub.token("box1")}`,
  ...more,
];
const JSON_TYPE = "Content-Type: application/json";

async function statusOf(hub: TestHub, request: string): Promise<number> {
  return (await sendRaw(hub, request)).status;
}

onEachStore("the server", (start) => {
  it("refuses what two parsers could read differently, and ends the connection", async () => {
    await using hub = await start();
    const before = await hub.state();
    const body = '{"body": "smuggled"}';
    const post = (...headers: string[]) =>
      requestText("POST", "/api/post_message", head(hub, JSON_TYPE, ...headers), body);
    const rows: [string, string][] = [
      ["a length and chunks", post("Content-Length: 20", "Transfer-Encoding: chunked")],
      ["two lengths", post("Content-Length: 20", "Content-Length: 21")],
      ["a signed length", post("Content-Length: +20")],
      ["a length in base 16", post("Content-Length: 0x14")],
      ["an unknown encoding", post("Transfer-Encoding: xchunked")],
      ["a folded header", `POST /api/post_message HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n`],
      ["a space before a colon", `GET /v1/rooms HTTP/1.1\r\nHost : localhost\r\n\r\n`],
      ["a line feed alone", `GET /v1/rooms HTTP/1.1\nHost: localhost\n\n`],
      ["a NUL in a header", `GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nX-A: a\0b\r\n\r\n`],
      ["no HTTP at all", "hello\r\n\r\n"],
      ["an unknown method", requestText("FROB", "/v1/rooms", head(hub))],
    ];

    for (const [what, request] of rows) expect(await statusOf(hub, request), what).toBe(400);
    expect(await hub.state()).toBe(before);
    expect((await hub.as("box1").fetch("/v1/rooms")).status).toBe(200);
  });

  it("bounds headers", async () => {
    await using hub = await start();
    const get = (...headers: string[]) => statusOf(hub, requestText("GET", "/v1/rooms", head(hub, ...headers)));

    expect(await get(`X-Long: ${"x".repeat(17 * 1024)}`)).toBe(431);
    expect(await get(...Array<string>(2_000).fill("a: b"))).toBe(431);
    expect(await get(...Array<string>(201).fill("a: b"))).toBe(431);
    expect(await get(...Array<string>(150).fill("a: b"))).toBe(200);
    expect(await get("__proto__: x", "constructor: y")).toBe(200);
  });

  it("reads odd addresses as nothing else", async () => {
    await using hub = await start();
    const get = (target: string) => statusOf(hub, requestText("GET", target, head(hub)));

    for (const target of [
      "http://localhost/v1/rooms",
      "/v1/%00",
      "/v1/%zz",
      "/v1\\rooms",
      "/v1/%5Crooms",
      "*",
      `/v1/${"x".repeat(9_000)}`,
    ]) {
      expect(await get(target), target.slice(0, 40)).toBe(400);
    }
    for (const target of [
      "//evil.example/v1/rooms",
      "/%2e%2e/v1/rooms",
      "/../v1/rooms",
      "/v1/../v1/rooms",
      "/./v1/rooms",
      "/v1/rooms;a=b",
      "/v1/rooms%2f",
    ]) {
      expect(await get(target), target).toBe(404);
    }
    expect(await get("/v1/rooms?limit=5#x")).toBe(400);
  });

  it("serves no other method, and says which", async () => {
    await using hub = await start();
    const answer = await sendRaw(hub, requestText("TRACE", "/v1/rooms", head(hub)));

    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await sendRaw(hub, requestText("PUT", "/api/post_message", head(hub)))).headers.get("allow")).toBe("POST");
    expect((await sendRaw(hub, requestText("OPTIONS", "/api/list_rooms", head(hub)))).headers.get("allow")).toBe(
      "POST, GET, HEAD",
    );
    expect(await statusOf(hub, requestText("CONNECT", "evil.example:443", ["Host: evil.example:443"]))).toBe(405);
    expect(
      await statusOf(hub, requestText("GET", "/v1/rooms", head(hub, "Connection: Upgrade", "Upgrade: websocket"))),
    ).toBe(200);
  });

  it("answers pipelined requests in their order", async () => {
    await using hub = await start();
    const one = (n: number) => requestText("GET", `/api/read_messages?limit=${n}x`, head(hub));
    const socket = connect(Number(new URL(hub.url).port), "127.0.0.1");
    socket.write(Array.from({ length: 200 }, (_, n) => one(n)).join(""));
    let received = "";
    for await (const chunk of socket) {
      received += String(chunk);
      if (received.split("HTTP/1.1 400").length > 200 && received.endsWith("}}")) break;
    }
    const traces = [...received.matchAll(/x-request-id: \w+-(\w+)/g)].map((match) =>
      Number.parseInt(match[1] ?? "", 36),
    );

    expect(traces).toHaveLength(200);
    expect(traces).toEqual(traces.toSorted((a, b) => a - b));
  });

  it("does nothing of what was cut off, and goes on", async () => {
    await using hub = await start();
    const body = '{"body": "parting"}';
    const port = Number(new URL(hub.url).port);
    const partings = Array.from({ length: 20 }, (_, n) => {
      const cut = connect(port, "127.0.0.1");
      cut.write(
        requestText("POST", "/api/post_message", head(hub, JSON_TYPE, `Content-Length: ${body.length + 1 + n}`), body),
        () => cut.destroy(),
      );
      return new Promise((resolve) => cut.once("close", resolve));
    });
    await Promise.all(partings);

    await hub.as("box1").call("post_message", { body: "after" });
    expect(await hub.as("box1").call("read_messages")).toMatchObject({ messages: [{ id: 1, body: "after" }] });
  });
});
