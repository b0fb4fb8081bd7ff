import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

onEachStore("files", (start) => {
  test("put_file stores the exact bytes, which get_file gives to others in the room", async () => {
    await using hub = await start();

    const put = await hub
      .as("box1")
      .call("put_file", { name: " poller.log ", content_base64: base64("one line\n"), mime: "Text/Plain" });
    const got = await hub.as("box2").call("get_file", { file_id: 1 });

    expect(put).toEqual({
      ok: true,
      file_id: 1,
      name: "poller.log",
      sha256: sha256("one line\n"),
      size: 9,
      room: "lobby",
      expires_at: null,
    });
    expect(got).toEqual({
      id: 1,
      name: "poller.log",
      sha256: sha256("one line\n"),
      size: 9,
      mime: "text/plain",
      author: "box1",
      ts: expect.any(String),
      expires_at: null,
      room: "lobby",
      content_base64: base64("one line\n"),
    });
    expect((await hub.eventsOf("lobby")).at(-1)).toEqual({
      kind: "file_added",
      actor: "box1",
      file: 1,
      detail: "poller.log (9 B)",
      concerns: [],
    });
  });

  test("put_file takes text as it is, and get_file gives UTF-8 as text to whoever asks for it", async () => {
    await using hub = await start();
    const text = "żółw\n\u202e\u0001";
    const put = await hub.as("box1").call("put_file", { name: "a.txt", text });
    await hub.as("box1").call("put_file", { name: "b.bin", content_base64: "/wD/", mime: "text/plain" });

    const [plain, asText, binary] = [
      await hub.as("box2").call("get_file", { file_id: 1 }),
      await hub.as("box2").call("get_file", { file_id: 1, as_text: true }),
      await hub.as("box2").call("get_file", { file_id: 2, as_text: true }),
    ];
    const both = await hub.as("box1").try("put_file", { name: "a", text: "x", content_base64: "eA==" });

    expect([put["size"], put["sha256"]]).toEqual([Buffer.byteLength(text), sha256(text)]);
    expect([plain["mime"], plain["content_base64"]]).toEqual(["text/plain", base64(text)]);
    expect([asText["text"], asText["content_base64"]]).toEqual([text, null]);
    expect(binary["content_base64"]).toBe("/wD/");
    expect(binary).not.toHaveProperty("text");
    expect(both).toMatchObject({ code: "bad_input", message: "content_base64: or text: exactly one is needed." });
  });

  test("put_file keeps no file with a token of this hub in it, whatever else it holds", async () => {
    await using hub = await start();
    const before = await hub.state();
    const token = hub.token("box2");
    const binary = Buffer.concat([randomBytes(300_000), Buffer.from(token), randomBytes(10)]);

    const refused = [
      await hub.as("box1").try("put_file", { name: ".mcp.json", text: `{"Authorization":"Bearer ${token}"}` }),
      await hub.as("box1").try("put_file", { name: "core", content_base64: binary.toString("base64") }),
    ];
    const upload = await hub.as("box1").fetch("/v1/files?name=core", { method: "POST", body: binary });

    for (const reply of refused) expect(reply).toMatchObject({ status: 400, code: "bad_input" });
    expect(JSON.stringify(refused)).not.toContain(token);
    expect(upload.status).toBe(400);
    expect(await hub.state()).toBe(before);
    expect((await hub.as("box1").try("put_file", { name: "a", text: "crw_agt_ is how one begins" })).ok).toBe(true);
  });

  test("get_file gives the address instead of more than 16 KB", async () => {
    await using hub = await start();
    const bytes = randomBytes(16_385);
    await hub.as("box1").call("put_file", { name: "a", content_base64: bytes.subarray(1).toString("base64") });
    await hub.as("box1").call("put_file", { name: "b", content_base64: bytes.toString("base64") });

    const [within, beyond] = [
      await hub.as("box2").call("get_file", { file_id: 1 }),
      await hub.as("box2").call("get_file", { file_id: 2 }),
    ];

    expect(within["content_base64"]).toBe(bytes.subarray(1).toString("base64"));
    expect(within).not.toHaveProperty("download");
    expect(beyond["content_base64"]).toBe(null);
    expect(beyond["download"]).toBe(`${hub.url}/v1/files/2?room=lobby`);
    const response = await hub.as("box2").fetch(new URL(String(beyond["download"])).pathname + "?room=lobby");
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("list_files pages through a room's files, newest first, and shows none of another room", async () => {
    await using hub = await start();
    for (const name of ["a", "b", "c"]) await hub.as("box1").call("put_file", { name, content_base64: base64(name) });
    await hub.as("box1").call("put_file", { name: "elsewhere", content_base64: base64("x"), room: "ops" });

    const first = await hub.as("box2").call("list_files", { limit: 2 });
    const rest = await hub.as("box2").call("list_files", { ...first["next"] });

    expect(first["files"].map((file: Value) => [file["id"], file["name"]])).toEqual([
      [3, "c"],
      [2, "b"],
    ]);
    expect([first["count"], first["has_more"], first["next"]]).toEqual([2, true, { before_id: 2 }]);
    expect(first["download_path_template"]).toBe("/v1/files/{id}?room=lobby");
    expect(rest["files"].map((file: Value) => file["name"])).toEqual(["a"]);
    expect([rest["has_more"], rest["next"]]).toEqual([false, null]);
  });

  test("delete_file is for the author and admins; then the file is gone on every path", async () => {
    await using hub = await start();
    for (const name of ["a", "b"]) await hub.as("box1").call("put_file", { name, content_base64: base64(name) });

    const peer = await hub.as("box2").try("delete_file", { file_id: 1 });
    const observer = await hub.as("watcher").try("delete_file", { file_id: 1 });
    const own = await hub.as("box1").call("delete_file", { file_id: 1 });
    const byAdmin = await hub.as("chief").call("delete_file", { file_id: 2 });
    const again = await hub.as("box1").try("delete_file", { file_id: 1 });

    expect([peer, observer, again].map((reply) => !reply.ok && [reply.status, reply.code])).toEqual([
      [403, "not_yours"],
      [403, "not_allowed"],
      [404, "file_not_found"],
    ]);
    expect(own).toMatchObject({ ok: true, room: "lobby", deleted: { id: 1, name: "a", size: 1, author: "box1" } });
    expect(byAdmin["deleted"]).toMatchObject({ id: 2, author: "box1" });
    expect(await hub.as("box2").try("get_file", { file_id: 1 })).toMatchObject({ status: 404, code: "file_not_found" });
    expect((await hub.as("box2").call("list_files"))["files"]).toEqual([]);
    expect((await hub.as("box2").fetch("/v1/files/1")).status).toBe(404);
    expect((await hub.eventsOf("lobby")).slice(-2)).toMatchObject([
      { kind: "file_deleted", actor: "box1", file: 1, detail: "a (1 B)" },
      { kind: "file_deleted", actor: "chief", file: 2, detail: "b (1 B)" },
    ]);
  });

  test("a file that expires is gone at that moment on every path, before anything is swept", async () => {
    await using hub = await start();
    const put = await hub
      .as("box1")
      .call("put_file", { name: "short", content_base64: base64("x"), expires_in_hours: 2 });
    await hub.as("box1").call("put_file", { name: "stays", content_base64: base64("y") });
    const { ts } = await hub.as("box2").call("get_file", { file_id: 1 });
    const seen = async () => [
      (await hub.as("box2").try("get_file", { file_id: 1 })).ok,
      (await hub.as("box2").fetch("/v1/files/1")).status,
      (await hub.as("box2").call("list_files"))["files"].map((file: Value) => file["name"]),
    ];

    hub.later({ minutes: 119 });
    const before = await seen();
    hub.later({ minutes: 1 });
    const after = await seen();

    expect(Date.parse(put["expires_at"])).toBe(Date.parse(ts) + 7_200_000);
    expect(before).toEqual([true, 200, ["stays", "short"]]);
    expect(after).toEqual([false, 404, ["stays"]]);
    expect(await hub.as("box1").try("delete_file", { file_id: 1 })).toMatchObject({ code: "file_not_found" });
    expect((await hub.eventsOf("lobby"))[0]?.detail).toBe(`short (1 B) expires ${put["expires_at"]}`);
  });

  test("a put that is repeated under its key stores one file", async () => {
    await using hub = await start();
    const input = { name: "a", content_base64: base64("x"), idempotency_key: "put-1" };

    const first = await hub.as("box1").call("put_file", input);
    const again = await hub.as("box1").call("put_file", input);
    const other = await hub.as("box1").try("put_file", { ...input, content_base64: base64("y") });

    expect(again).toEqual(first);
    expect(other).toMatchObject({ status: 422, code: "key_reused" });
    expect((await hub.as("box1").call("list_files"))["count"]).toBe(1);
  });
});
