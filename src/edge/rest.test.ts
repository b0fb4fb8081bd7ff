import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { requestText, sendRaw } from "../testkit/wire.ts";

const CODE = (body: string): string => (JSON.parse(body) as { error: { code: string } }).error.code; // our error shape

/** What POST /api/post_message gives box1 for these bytes: status and code. */
async function post(
  hub: TestHub,
  body: string | Buffer,
  { type = "application/json", path = "/api/post_message", headers = [] as string[] } = {},
) {
  const bytes = Buffer.from(body);
  const head = [
    "Host: localhost",
    `Authorization: Bearer ${hub.token("box1")}`,
    ...(type === "" ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${bytes.length}`,
    ...headers,
  ];
  const answer = await sendRaw(hub, Buffer.concat([Buffer.from(requestText("POST", path, head)), bytes]));
  return `${answer.status} ${answer.status === 200 ? "ok" : CODE(answer.body)}`;
}

onEachStore("POST /api/<operation>", (start) => {
  it("refuses what is not one JSON object in UTF-8, and changes nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "before" });
    const before = await hub.state();
    const rows: [string, string | Buffer][] = [
      ["nothing", ""],
      ["no JSON", "body=x"],
      ["a truncated object", '{"body": "x"'],
      ["trailing garbage", '{"body": "x"} x'],
      ["two documents", '{"body": "x"}{"body": "x"}'],
      ["a name twice", '{"body": "x", "body": "y"}'],
      ["a list", '[{"body": "x"}]'],
      ["a string", '"x"'],
      ["a number", "1"],
      ["null", "null"],
      ["deep nesting", `{"body": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
      ["__proto__", '{"body": "x", "__proto__": {"admin": true}}'],
      ["constructor", '{"body": "x", "constructor": {}}'],
      ["NaN", '{"body": "x", "reply_to": NaN}'],
      ["a byte order mark", '\uFEFF{"body": "x"}'],
      ["bytes that are not UTF-8", Buffer.from([...Buffer.from('{"body": "'), 0xff, ...Buffer.from('"}')])],
      ["UTF-16", Buffer.from('{"body": "x"}', "utf16le")],
    ];

    for (const [what, body] of rows) expect(await post(hub, body), what).toBe("400 not_json");
    expect(await post(hub, '{"body": "x", "reply_to": 1e999}')).toBe("400 bad_input");
    expect(await post(hub, '{"body": "\\ud800"}')).toBe("400 bad_input");
    expect(await post(hub, '{"body": "a\\u0000b"}')).toBe("400 bad_input");
    expect(await hub.state()).toBe(before);
  });

  it("refuses every other type, which keeps forms of other sites out, and every encoding", async () => {
    await using hub = await start();
    const before = await hub.state();
    const body = '{"body": "x"}';

    for (const type of [
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/json; charset=utf-16",
      "application/json, text/plain",
    ]) {
      expect(await post(hub, body, { type }), type).toBe("415 not_json_type");
    }
    for (const encoding of ["gzip", "br", "gzip, gzip", "identity"]) {
      expect(await post(hub, gzipSync(body), { headers: [`Content-Encoding: ${encoding}`] }), encoding).toBe(
        "415 not_json_type",
      );
    }
    expect(await hub.state()).toBe(before);
  });

  it("takes little from who has not shown who it is", async () => {
    await using hub = await start();
    const head = ["Host: localhost", "Content-Type: application/json"];
    const login = (bytes: number) =>
      sendRaw(hub, requestText("POST", "/api/login", [...head, `Content-Length: ${bytes}`]) + " ".repeat(bytes));

    const [large, small] = [await login(131_073), await login(131_072)];

    expect([large.status, CODE(large.body)]).toEqual([413, "too_large"]);
    expect(small.status).toBe(400);
  });

  it("refuses a body above the limit early, announced or not", async () => {
    await using hub = await start();
    const before = await hub.state();
    const head = ["Host: localhost", `Authorization: Bearer ${hub.token("box1")}`, "Content-Type: application/json"];
    const announced = await sendRaw(
      hub,
      requestText("POST", "/api/post_message", [...head, "Content-Length: 4194305"]),
    );
    const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    const chunked = await sendRaw(
      hub,
      requestText("POST", "/api/post_message", [...head, "Transfer-Encoding: chunked"]) + chunk.repeat(5),
    );

    expect([announced.status, CODE(announced.body), announced.headers.get("connection")]).toEqual([
      413,
      "too_large",
      "close",
    ]);
    expect([chunked.status, CODE(chunked.body)]).toEqual([413, "too_large"]);
    expect(await post(hub, `{"body": "x"}${" ".repeat(4 * 1024 * 1024 - 13)}`)).toBe("200 ok");
    expect(await hub.as("box1").call("read_messages")).toMatchObject({ count: 1 });
    expect(await hub.state()).not.toBe(before);
  });

  it("ignores a header that asks for another method, and takes no parameters", async () => {
    await using hub = await start();

    expect(await post(hub, '{"body": "x"}', { headers: ["X-HTTP-Method-Override: DELETE"] })).toBe("200 ok");
    expect(await post(hub, '{"body": "x"}', { path: "/api/post_message?room=lobby" })).toBe("400 bad_input");
    expect(await post(hub, '{"body": "x"}', { path: "/api/post_message?" })).toBe("200 ok");
  });

  it("keeps a body byte for byte", async () => {
    await using hub = await start();
    const body = 'CR\r LF\n CRLF\r\n \u2028 \u2029 👩‍👩‍👧‍👦 🇨🇭 é e\u0301 <script> "quoted"';
    const { message_id } = await hub.as("box1").call("post_message", { body });

    expect(await hub.as("box2").call("read_messages")).toMatchObject({ messages: [{ id: message_id, body }] });
  });

  it("takes the key of a call from its header too, and says when an answer is an earlier one", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    const first = await box1.try("post_message", { body: "once" }, { key: "k-1" });
    const again = await box1.try("post_message", { body: "once" }, { key: "k-1" });
    const inBody = await box1.try("post_message", { body: "once", idempotency_key: "k-1" });
    const both = await box1.try("post_message", { body: "once", idempotency_key: "k-2" }, { key: "k-1" });
    const other = await box1.try("post_message", { body: "twice" }, { key: "k-1" });

    expect(first).toMatchObject({ ok: true, value: { message_id: 1 } });
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again).toMatchObject({ ok: true, value: { message_id: 1 } });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(inBody).toMatchObject({ ok: true, value: { message_id: 1 } });
    expect(both).toMatchObject({ status: 400, code: "bad_input" });
    expect(other).toMatchObject({ status: 422, code: "key_reused" });
    for (const key of ["a b", "x".repeat(256), "é"])
      expect(await box1.try("post_message", { body: "x" }, { key }), key).toMatchObject({ status: 400 });
  });

  it("gives refusals one shape, whose trace is the answer's own", async () => {
    await using hub = await start();
    const reply = await hub.as("box1").try("get_task", { task_id: 7 });

    expect(reply).toMatchObject({
      ok: false,
      status: 404,
      error: { code: "task_not_found", data: { task: 7, room: "lobby" }, next: "See list_tasks." },
    });
    expect(reply.ok ? "" : reply.error["trace"]).toBe(reply.headers.get("x-request-id"));
  });
});

onEachStore("GET /api/<operation>", (start) => {
  it("serves queries with parameters, read strictly", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "one" });
    await box1.call("post_message", { body: "two" });
    const get = async (query: string) => {
      const answer = await box1.fetch(`/api/read_messages${query}`);
      return [answer.status, (await answer.json()) as object];
    };

    expect(await get("?limit=1")).toMatchObject([200, { messages: [{ body: "two" }] }]);
    expect(await get("?limit=1&since_id=0&room=lobby&mentions_me=false")).toMatchObject([
      200,
      { messages: [{ body: "one" }] },
    ]);
    for (const query of [
      "?limit=x",
      "?limit=1.5",
      "?limit=0x1",
      "?limit=01",
      "?limit=",
      "?limit=%31%30x",
      "?limit=1&limit=2",
      "?limit[]=1",
      "?a[__proto__]=1",
      "?__proto__=1",
      "?nope=1",
      "?mentions_me=1",
      "?room=%zz",
      "?since_id=-1",
      "?since_id=99999999999999999999",
      "?since_id=²",
    ]) {
      expect(await get(query), query).toMatchObject([400, { error: { code: "bad_input" } }]);
    }
  });

  it("changes nothing by GET or HEAD", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "hello" });
    const before = await hub.state();
    const box2 = hub.as("box2");
    const statuses: number[] = [];
    for (const path of ["/api/post_message", "/api/whats_new", "/api/wait_for_change"])
      statuses.push((await box2.fetch(path)).status, (await box2.fetch(path, { method: "HEAD" })).status);
    const head = await box2.fetch("/api/read_messages", { method: "HEAD" });

    expect(statuses).toEqual(Array(6).fill(405));
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(100);
    expect(await hub.state()).toBe(before);
  });
});
