import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { nobody } from "../core/roles.ts";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { requestText, sendRaw } from "../testkit/wire.ts";
import { readInTime, openUploads } from "./file-upload.ts";

const sha256 = (bytes: Uint8Array, how: "hex" | "base64" = "hex") => createHash("sha256").update(bytes).digest(how);

async function upload(hub: TestHub, handle: string, query: string, init: RequestInit) {
  const response = await hub.as(handle).fetch(`/v1/files${query}`, { method: "POST", ...init });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Value };
}

/** What it answered, in short. */
function told({ status, body }: { status: number; body: Value }) {
  return status < 400 ? [status] : [status, body["error"].code];
}

onEachStore("POST /v1/files", (start) => {
  test("keeps the body's bytes, which GET gives back", async () => {
    await using hub = await start();
    const bytes = randomBytes(700_001);

    const put = await upload(hub, "box1", "?name=core.bin&expires_in_hours=1.5", {
      body: bytes,
      headers: { "content-type": "Application/X-Core; charset=binary" },
    });
    const got = await hub.as("box2").fetch("/v1/files/1?room=lobby");

    expect(put.status).toBe(201);
    expect(put.body).toEqual({
      ok: true,
      file_id: 1,
      name: "core.bin",
      sha256: sha256(bytes),
      size: 700_001,
      room: "lobby",
      expires_at: expect.any(String),
    });
    expect(sha256(new Uint8Array(await got.arrayBuffer()))).toBe(sha256(bytes));
    expect(got.headers.get("content-length")).toBe("700001");
    const listed = (await (await hub.as("box2").fetch("/v1/files")).json()) as Value;
    expect([listed["agent"], listed["files"][0].mime]).toEqual(["box2", "application/x-core"]);
    expect((await hub.eventsOf("lobby")).at(-1)).toMatchObject({ kind: "file_added", actor: "box1", file: 1 });
  });

  test("takes the name from the address, else from X-Crewroom-Filename or X-Chatroom-Filename, in any script", async () => {
    await using hub = await start();
    const utf8 = Buffer.from("отчёт.txt").toString("latin1");
    const names = [
      await upload(hub, "box1", "?name=a%20b.txt", { body: "x", headers: { "x-crewroom-filename": "other" } }),
      await upload(hub, "box1", "", { body: "x", headers: { "x-crewroom-filename": utf8 } }),
      await upload(hub, "box1", "?room=lobby", { body: "x", headers: { "x-chatroom-filename": "c.txt" } }),
      await upload(hub, "box1", `?name=${encodeURIComponent("報告.pdf")}`, { body: "x" }),
    ];

    expect(names.map(({ body }) => body["name"])).toEqual(["a b.txt", "отчёт.txt", "c.txt", "報告.pdf"]);
    const got = await hub.as("box2").fetch("/v1/files/4");
    expect(got.headers.get("content-disposition")).toBe(
      `attachment; filename="__.pdf"; filename*=UTF-8''%E5%A0%B1%E5%91%8A.pdf`,
    );
  });

  test("refuses what it should by name, and then nothing was changed", async () => {
    await using hub = await start({ CREWROOM_MAX_FILE_BYTES: "1000" });
    await hub.as("box1").call("put_file", { name: "first", content_base64: "eA==" });
    const before = await hub.state();
    const one = { body: "x" };
    const refused = [
      [await upload(hub, "box1", "", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a/b", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a%5Cb", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=..", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a%0Ab", one), 400, "bad_input"],
      [await upload(hub, "box1", `?name=${"n".repeat(256)}`, one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a", { body: "" }), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a&expires_in_hours=soon", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a&expires_in_hours=nan", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a&expires_in_hours=0", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a&expires_in_hours=-1", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a&colour=red", one), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a", { ...one, headers: { "content-type": "text" } }), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a", { ...one, headers: { "content-encoding": "gzip" } }), 400, "bad_input"],
      [await upload(hub, "box1", "?name=a", { body: new FormData() }), 400, "bad_input"],
      [
        await upload(hub, "box1", "?name=a", { ...one, headers: { "content-digest": "sha-256=:eA==:" } }),
        400,
        "bad_input",
      ],
      [await upload(hub, "box1", "?name=a&room=none", one), 403, "room_not_granted"],
      [await upload(hub, "box2", "?name=a&room=ops", one), 403, "room_not_granted"],
      [await upload(hub, "watcher", "?name=a", one), 403, "not_allowed"],
      [await upload(hub, "box1", "?name=a", { body: "x".repeat(1_001) }), 413, "too_large"],
    ] as const;

    for (const [reply, status, code] of refused) expect(told(reply)).toEqual([status, code]);
    const nobodys = await fetch(`${hub.url}/v1/files?name=a`, { method: "POST", body: "x" });
    expect(nobodys.status).toBe(401);
    expect(await hub.state()).toBe(before);
    const fits = {
      body: "x".repeat(1_000),
      headers: { "content-digest": `sha-256=:${sha256(Buffer.from("x".repeat(1_000)), "base64")}:` },
    };
    expect(told(await upload(hub, "box1", "?name=a", fits))).toEqual([201]);
  });

  test("refuses a body without a length when it passes the cap, whatever is still to come", async () => {
    await using hub = await start({ CREWROOM_MAX_FILE_BYTES: "100000" });
    const head = requestText("POST", "/v1/files?name=a", [
      `Host: ${new URL(hub.url).host}`,
      `Authorization: Bearer ${hub.token("box1")}`,
      "Transfer-Encoding: chunked",
    ]);
    const chunk = `${(60_000).toString(16)}\r\n${"x".repeat(60_000)}\r\n`;

    const answer = await sendRaw(hub, `${head}${chunk}${chunk}`);

    expect(answer.status).toBe(413);
    expect(answer.body).toContain("100000 bytes");
    expect((await hub.as("box1").call("list_files"))["count"]).toBe(0);
  });

  test("whose client goes away in the middle leaves nothing, and the next one is served", async () => {
    await using hub = await start();
    const socket = connect(Number(new URL(hub.url).port), "127.0.0.1");
    const head = requestText("POST", "/v1/files?name=a", [
      `Host: ${new URL(hub.url).host}`,
      `Authorization: Bearer ${hub.token("box1")}`,
      "Content-Length: 1000000",
    ]);
    await new Promise<void>((resolve) => socket.write(`${head}${"x".repeat(300_000)}`, () => resolve()));
    socket.destroy();

    const put = await upload(hub, "box2", "?name=b", { body: "x" });

    expect(put.body["file_id"]).toBe(1);
    expect((await hub.eventsOf("lobby")).map(({ kind, actor }) => [kind, actor])).toEqual([["file_added", "box2"]]);
  });

  test("is safe to repeat under its key: one file; other bytes under it are refused", async () => {
    await using hub = await start();
    const headers = { "idempotency-key": "up-1" };

    const first = await upload(hub, "box1", "?name=a", { body: "one", headers });
    const again = await upload(hub, "box1", "?name=a", { body: "one", headers });
    const other = await upload(hub, "box1", "?name=a", { body: "two", headers });

    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(told(other)).toEqual([422, "key_reused"]);
    expect((await hub.as("box1").call("list_files"))["count"]).toBe(1);
  });

  test("never passes the organization's quota, however many come at once, and says what is kept", async () => {
    await using hub = await start({ CREWROOM_FILE_QUOTA_MB: "1" });
    const body = randomBytes(300_000);

    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => upload(hub, index % 2 ? "box1" : "box2", "?name=a", { body })),
    );
    const refused = replies.find(({ status }) => status !== 201);
    const elsewhere = await upload(hub, "stranger", "?name=a", { body });

    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array<number>(3).fill(201),
      ...Array<number>(9).fill(413),
    ]);
    expect(refused?.body["error"].code).toBe("file_quota");
    expect(refused?.body["error"].data).toEqual({ used: 900_000, size: 300_000, most: 1_048_576 });
    expect(elsewhere.status).toBe(201);
    await hub.as("box1").try("delete_file", { file_id: 1 });
    await hub.as("box2").try("delete_file", { file_id: 1 });
    expect(told(await upload(hub, "box1", "?name=a", { body }))).toEqual([201]);
  });

  test("fits where expired files were, though nothing has swept them yet", async () => {
    await using hub = await start({ CREWROOM_FILE_QUOTA_MB: "1" });
    await upload(hub, "box1", "?name=a&expires_in_hours=1", { body: randomBytes(1_000_000) });
    const put = () => upload(hub, "box1", "?name=b", { body: randomBytes(1_000_000) });

    expect(told(await put())).toEqual([413, "file_quota"]);
    hub.later({ hours: 1 });

    expect(told(await put())).toEqual([201]);
  });
});

test("an upload whose sender stands still is given up", async () => {
  const refused = Promise.withResolvers<unknown>();
  const server = createServer((incoming) => void readInTime(incoming, 1_000, 50).catch(refused.resolve));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1"); // it listens
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");

  expect(await refused.promise).toMatchObject({ code: "upload_stalled", status: 408 });
  socket.destroy();
  server.close();
});

test("uploads under way have a bound in all, for each organization and for each credential, and room again when they end", () => {
  const uploads = openUploads();
  const enter = (organization: string, credential: string) =>
    uploads.enter({ ...nobody("-"), organization, credential }, 1_048_576);
  const fill = (organization: string, credential: string) =>
    Array.from({ length: 16 }, () => enter(organization, credential));
  const isFull = (organization: string, credential: string) =>
    expect(() => enter(organization, credential)).toThrow("wait 1 seconds");

  const [first] = fill("main", "a");
  isFull("main", "a");
  fill("main", "b");
  isFull("main", "c");
  fill("other", "c");
  fill("other", "d");
  isFull("third", "e");
  first?.();

  enter("third", "e")();
  enter("main", "a");
  isFull("main", "a");
});
