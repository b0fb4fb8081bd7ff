import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { requestText, sendRaw } from "../testkit/wire.ts";

async function put(hub: TestHub, name: string, body: string | Buffer, type = "text/plain") {
  const headers = { "content-type": type };
  const path = `/v1/files?name=${encodeURIComponent(name)}`;
  const response = await hub.as("box1").fetch(path, { method: "POST", body, headers });
  expect(response.status).toBe(201);
}

/** Changes one bit of a stored part, as a failing disk would. */
function flip({ hub }: TestHub, file: number, part: number) {
  return hub.store.write("main", async (tx) => {
    const where = `where organization = 'main' and file = ${file} and part = ${part}`;
    const row = await tx.one<{ bytes: Uint8Array }>({ texts: [`select bytes from file_parts ${where}`], values: [] });
    const bytes = Uint8Array.from(row?.bytes ?? []);
    bytes[7] = (bytes[7] ?? 0) ^ 1;
    await tx.run({ texts: ["update file_parts set bytes = ", ` ${where}`], values: [bytes] });
  });
}

onEachStore("GET /v1/files/{id}", (start) => {
  test("sends something to save that no browser runs, and HEAD the same without the bytes", async () => {
    await using hub = await start();
    await put(hub, "page.html", "<script>alert(1)</script>", "text/html");

    const got = await hub.as("box2").fetch("/v1/files/1");
    const head = await hub.as("box2").fetch("/v1/files/1", { method: "HEAD" });

    const shown = Object.fromEntries(
      [
        "content-type",
        "content-disposition",
        "content-security-policy",
        "x-content-type-options",
        "cross-origin-resource-policy",
        "cache-control",
        "content-length",
      ].map((name) => [name, got.headers.get(name)]),
    );
    expect(shown).toEqual({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="page.html"`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
      "content-length": "25",
    });
    expect(got.headers.get("etag")).toBe(`"${got.headers.get("x-crewroom-sha256")}"`);
    expect(await got.text()).toBe("<script>alert(1)</script>");
    for (const name of Object.keys(shown)) expect(head.headers.get(name)).toBe(got.headers.get(name));
    expect(await head.text()).toBe("");
  });

  test("believes a type only where the bytes bear it out", async () => {
    await using hub = await start();
    const png = Buffer.from("89504e470d0a1a0a00", "hex");
    const sent: [string | Buffer, string][] = [
      [png, "image/png"],
      ["<svg onload=alert(1)>", "image/png"],
      ["<svg/>", "image/svg+xml"],
      ["a,b", "text/csv"],
      ["%PDF-1.7", "application/pdf"],
    ];
    for (const [body, type] of sent) await put(hub, "x", body, type);

    const types = await Promise.all(
      sent.map(async (_, index) => (await hub.as("box2").fetch(`/v1/files/${index + 1}`)).headers.get("content-type")),
    );

    expect(types).toEqual([
      "image/png",
      "application/octet-stream",
      "application/octet-stream",
      "text/csv; charset=utf-8",
      "application/pdf",
    ]);
  });

  test("names the file for every client, and lets nothing hide in the name or leave its header", async () => {
    await using hub = await start();
    const names = ["a b.txt", `q"u\u2018o.txt`, "\u202egpj.exe", "50%;x=y.txt", "100% \u00fcber's (1).txt"];
    for (const name of names) await put(hub, name, "x");

    const told = await Promise.all(
      names.map(async (_, index) =>
        (await hub.as("box2").fetch(`/v1/files/${index + 1}`)).headers.get("content-disposition"),
      ),
    );

    expect(told).toEqual([
      `attachment; filename="a b.txt"`,
      `attachment; filename="q_u_o.txt"; filename*=UTF-8''q%22u%E2%80%98o.txt`,
      `attachment; filename="_gpj.exe"`,
      `attachment; filename="50_;x=y.txt"; filename*=UTF-8''50%25%3Bx%3Dy.txt`,
      `attachment; filename="100_ _ber's (1).txt"; filename*=UTF-8''100%25%20%C3%BCber%27s%20%281%29.txt`,
    ]);
  });

  test("is found by those who may enter its room, and is not there for others", async () => {
    await using hub = await start();
    await hub.as("box1").call("put_file", { name: "x", content_base64: "eA==", room: "ops" });
    const status = async (handle: string, path: string) => (await hub.as(handle).fetch(path)).status;

    expect(await status("opsbox", "/v1/files/1")).toBe(200);
    expect(await status("box1", "/v1/files/1?room=ops")).toBe(200);
    expect(await status("box1", "/v1/files/1")).toBe(404);
    expect(await status("box2", "/v1/files/1?room=ops")).toBe(403);
    expect(await status("ruler", "/v1/files/1?room=ops")).toBe(404);
    expect((await fetch(`${hub.url}/v1/files/1`)).status).toBe(401);
    for (const id of ["0", "-1", "1.5", "x", "%C2%B2", "9".repeat(20), "1e3"])
      expect(await status("opsbox", `/v1/files/${id}`), id).toBe(400);
    expect(await status("opsbox", "/v1/files/77")).toBe(404);
    expect(await status("opsbox", "/v1/files/1?colour=red")).toBe(400);
  });

  test("gives a range, and says when there is none such", async () => {
    await using hub = await start();
    const bytes = randomBytes(600_000);
    await put(hub, "x", bytes);
    const etag = (await hub.as("box2").fetch("/v1/files/1", { method: "HEAD" })).headers.get("etag") ?? "";
    const get = async (range: string, more = {}) => {
      const response = await hub.as("box2").fetch("/v1/files/1", { headers: { range, ...more } });
      const body = Buffer.from(await response.arrayBuffer());
      return [response.status, response.headers.get("content-range"), body] as const;
    };

    for (const [range, from, to] of [
      ["bytes=0-9", 0, 9],
      ["bytes=262140-262150", 262_140, 262_150],
      ["bytes=599990-", 599_990, 599_999],
      ["bytes=-5", 599_995, 599_999],
      ["bytes=100-999999", 100, 599_999],
    ] as const) {
      const [status, told, body] = await get(range);
      expect([status, told], range).toEqual([206, `bytes ${from}-${to}/600000`]);
      expect(body.equals(bytes.subarray(from, to + 1)), range).toBe(true);
    }
    for (const ignored of ["bytes=0-1,5-6", "lines=1-2", "bytes=9-1", "bytes=-"])
      expect((await get(ignored))[0], ignored).toBe(200);
    expect((await get("bytes=0-9", { "if-range": etag }))[0]).toBe(206);
    expect((await get("bytes=0-9", { "if-range": '"other"' }))[0]).toBe(200);
    expect((await get("bytes=600000-")).slice(0, 2)).toEqual([416, "bytes */600000"]);
  });

  test("hands on no byte of a part that was changed, and the tool neither", async () => {
    await using hub = await start();
    await put(hub, "small", "0123456789");
    await put(hub, "large", randomBytes(600_000));
    await flip(hub, 1, 0);
    await flip(hub, 2, 2);

    const small = await hub.as("box2").fetch("/v1/files/1");
    const tool = await hub.as("box2").try("get_file", { file_id: 1 });
    const large = await hub.as("box2").fetch("/v1/files/2");
    const beginning = await hub.as("box2").fetch("/v1/files/2", { headers: { range: "bytes=0-99" } });

    expect([small.status, ((await small.json()) as Value)["error"].code]).toEqual([500, "file_damaged"]);
    expect(tool).toMatchObject({ status: 500, code: "file_damaged" });
    expect(large.headers.get("content-length")).toBe("600000");
    await expect(large.arrayBuffer()).rejects.toThrow("terminated");
    expect([beginning.status, (await beginning.arrayBuffer()).byteLength]).toEqual([206, 100]);
  });

  test("ends when its credential does, whatever is still to come (P9)", async () => {
    await using hub = await start({ CREWROOM_MAX_FILE_BYTES: "16777216" });
    await put(hub, "x", Buffer.alloc(16_777_216));
    const { port, host } = new URL(hub.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(
      requestText("GET", "/v1/files/1", [
        `Host: ${host}`,
        `Authorization: Bearer ${hub.token("box3")}`,
        "Connection: close",
      ]),
    );
    await once(socket, "data");
    socket.pause();
    const open = () => hub.hub.core.feed.open;

    const before = open();
    await hub.as("boss").call("revoke_token", { agent: "box3" });
    while (open() > 0) await new Promise((resolve) => setImmediate(resolve));
    let received = 0;
    socket.on("data", (bytes) => (received += bytes.length)).on("error", () => undefined);
    socket.resume();
    await once(socket, "close");

    expect(before).toBe(1);
    expect(received).toBeLessThan(16_000_000);
  });

  test("is deleted by DELETE, with its room", async () => {
    await using hub = await start();
    await put(hub, "x", "x");
    const remove = async (handle: string, path = "/v1/files/1?room=lobby") => {
      const response = await hub.as(handle).fetch(path, { method: "DELETE" });
      return [response.status, (await response.json()) as Value] as const;
    };

    expect((await remove("box2"))[0]).toBe(403);
    expect((await remove("watcher"))[0]).toBe(403);
    expect((await remove("box1", "/v1/files/x"))[0]).toBe(400);
    expect((await remove("box1", "/v1/files/1?file_id=1"))[0]).toBe(400);
    expect(await remove("box1")).toMatchObject([200, { ok: true, room: "lobby", deleted: { id: 1, name: "x" } }]);
    expect((await remove("box1"))[0]).toBe(404);
    const answer = await sendRaw(
      hub,
      requestText("PUT", "/v1/files/1", [
        `Host: ${new URL(hub.url).host}`,
        `Authorization: Bearer ${hub.token("box1")}`,
      ]),
    );
    expect(answer.status).toBe(405);
  });
});
