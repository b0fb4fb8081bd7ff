import { expect, it } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";

async function ask(
  hub: TestHub,
  handle: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; value: Value }> {
  const init =
    body === undefined
      ? { method }
      : { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const answer = await hub.as(handle).fetch(path, init);
  const text = await answer.text();
  return { status: answer.status, value: text === "" ? {} : (JSON.parse(text) as Value) }; // our own routes answer JSON
}

onEachStore("/v1", (start) => {
  it("answers as the original did, with its names", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "hello" });
    await box1.call("create_task", { title: "open" });
    await box1.call("create_task", { title: "shut" });
    await box1.call("update_task", { task_id: 2, status: "cancelled" });

    expect((await ask(hub, "box2", "GET", "/v1/messages?room=lobby")).value).toMatchObject({
      room: "lobby",
      agent: "box2",
      messages: [{ id: 1, author: "box1", body: "hello", reply_to: null }],
      latest_id: 1,
    });
    expect((await ask(hub, "box2", "GET", "/v1/messages?since_id=1")).value).toMatchObject({ count: 0 });
    expect((await ask(hub, "box2", "GET", "/v1/tasks?room=")).value).toMatchObject({
      room: "lobby",
      agent: "box2",
      tasks: [{ id: 1, title: "open" }],
    });
    expect((await ask(hub, "box1", "GET", "/v1/rooms")).value).toMatchObject({
      agent: "box1",
      default_room: "lobby",
      all_rooms: false,
      admin: false,
      rooms: [{ name: "lobby", open_tasks: 1, messages: 1, files: 0 }, { name: "ops" }],
    });
    expect((await ask(hub, "box2", "GET", "/v1/client")).value).toEqual({
      server: { name: "crewroom", version: expect.any(String) },
      scripts: expect.objectContaining({
        hook: {
          filename: "crewroom-hook.mjs",
          version: expect.any(String),
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          bytes: expect.any(Number),
          url: "/v1/hook",
          clients: expect.objectContaining({
            codex: {
              events: ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"],
              woken_by: ["codex queue"],
            },
            cursor: {
              events: ["sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "sessionEnd"],
              woken_by: [],
              pull_only: true,
            },
          }),
        },
        watch: expect.objectContaining({ filename: "crewroom-watch.mjs", url: "/v1/watch" }),
      }),
    });
  });

  it("peeks by GET, tells headers by HEAD and consumes by POST", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "hello" });
    const before = await hub.state();
    const peek = async () => (await ask(hub, "box2", "GET", "/v1/whats_new?peek=1")).value["count"] as number;

    expect(await peek()).toBe(1);
    expect(await ask(hub, "box2", "HEAD", "/v1/whats_new")).toEqual({ status: 200, value: {} });
    expect((await ask(hub, "box2", "GET", "/v1/whats_new")).value).toMatchObject({
      room: "lobby",
      agent: "box2",
      count: 1,
      events: [{ kind: "message", actor: "box1", message_id: 1, by_you: false }],
    });
    expect(await peek()).toBe(1);
    expect(await hub.state()).toBe(before);
    expect((await ask(hub, "box2", "POST", "/v1/whats_new")).value).toMatchObject({ agent: "box2", count: 1 });
    // The place moves once the answer is known to be written out, which may be after it arrived.
    await expect.poll(peek).toBe(0);
    expect((await ask(hub, "box2", "POST", "/v1/whats_new", { room: "lobby", limit: 5 })).value).toMatchObject({
      count: 0,
    });
  });

  it("serves a room's information and end by its address, which names the room", async () => {
    await using hub = await start();

    expect((await ask(hub, "box1", "POST", "/v1/rooms/ops/info", { description: "Deploys." })).value).toMatchObject({
      ok: true,
      room_info: { name: "ops", description: "Deploys." },
    });
    expect(await ask(hub, "box1", "POST", "/v1/rooms/ops/info", { description: "x", room: "lobby" })).toMatchObject({
      status: 400,
    });
    expect(await ask(hub, "box2", "POST", "/v1/rooms/ops/info", { description: "x" })).toMatchObject({
      status: 403,
      value: { error: { code: "room_not_granted" } },
    });
    expect(await ask(hub, "watcher", "POST", "/v1/rooms/lobby/info", { description: "x" })).toMatchObject({
      status: 403,
      value: { error: { code: "not_allowed" } },
    });
    expect(await ask(hub, "box1", "DELETE", "/v1/rooms/ops")).toMatchObject({ status: 403 });
    expect((await ask(hub, "boss", "DELETE", "/v1/rooms/ops")).value).toMatchObject({ ok: true, deleted_room: "ops" });
    expect(await ask(hub, "boss", "DELETE", "/v1/rooms/ops")).toMatchObject({
      status: 403,
      value: { error: { code: "room_not_granted" } },
    });
    for (const path of ["/v1/rooms/", "/v1/rooms/a/b", "/v1/rooms/lobby/", "/v1/rooms//info"])
      expect((await ask(hub, "boss", "DELETE", path)).status, path).toBe(404);
  });

  it("serves administrators, who alone may, and takes no text for a boolean", async () => {
    await using hub = await start();
    const made = await ask(hub, "boss", "POST", "/v1/admin/tokens", {
      agent: "box9",
      room: "lobby",
      also_rooms: ["ops"],
    });

    expect(made).toMatchObject({
      status: 200,
      value: { ok: true, shown_once: true, agent: "box9", room: "lobby", admin: false },
    });
    expect((await ask(hub, "boss", "GET", "/v1/admin/state")).value).toMatchObject({
      you_are: "boss",
      rooms: [{ name: "lobby" }, { name: "ops" }],
    });
    expect(
      (await ask(hub, "boss", "POST", "/v1/admin/rooms", { name: "attic", description: "Old things." })).value,
    ).toMatchObject({ created: true, room: { name: "attic" } });
    expect(
      await ask(hub, "boss", "POST", "/v1/admin/tokens", { agent: "box8", room: "lobby", admin: "false" }),
    ).toMatchObject({ status: 400 });
    expect(
      await ask(hub, "boss", "POST", "/v1/admin/tokens", { agent: "box8", room: "lobby", also_rooms: "ops" }),
    ).toMatchObject({ status: 400 });
    expect((await ask(hub, "boss", "POST", "/v1/admin/tokens/revoke", { agent: "box9" })).value).toMatchObject({
      ok: true,
      revoked: 1,
    });
    expect(await ask(hub, "boss", "POST", "/v1/admin/tokens/revoke", { agent: "boss" })).toMatchObject({
      status: 409,
      value: { error: { code: "own_token" } },
    });
    expect(await ask(hub, "boss", "POST", "/v1/admin/tokens/purge", { older_than_days: -1 })).toMatchObject({
      status: 400,
    });
    expect(await ask(hub, "boss", "POST", "/v1/admin/tokens/purge", { older_than_days: 1.5 })).toMatchObject({
      status: 400,
    });
    expect((await ask(hub, "boss", "POST", "/v1/admin/tokens/purge", { older_than_days: 0 })).value).toMatchObject({
      removed: 1,
    });
    for (const handle of ["box1", "chief", "roamer", "watcher"])
      expect((await ask(hub, handle, "GET", "/v1/admin/state")).status, handle).toBe(403);
  });

  it("refuses unknown, repeated and misread parameters", async () => {
    await using hub = await start();

    for (const query of [
      "?nope=1",
      "?room=lobby&room=ops",
      "?since_id=abc",
      "?since_id=99999999999999999999",
      "?since_id=--5",
      "?since_id=²",
      "?limit[]=5",
      "?limit=0",
      "?room=%ff",
    ]) {
      expect((await ask(hub, "box1", "GET", `/v1/messages${query}`)).status, query).toBe(400);
    }
    expect((await ask(hub, "box2", "GET", "/v1/messages?room=ops")).status).toBe(403);
    expect((await ask(hub, "box1", "GET", "/v1/messages?limit=100000")).status).toBe(200);
  });

  it("says where retired addresses went, and that others are not there", async () => {
    await using hub = await start();

    expect(await ask(hub, "box1", "GET", "/messages")).toMatchObject({
      status: 410,
      value: { error: { code: "gone", data: { instead: "/v1/messages" } } },
    });
    expect(await ask(hub, "box1", "GET", "/roster/lobby")).toMatchObject({
      status: 410,
      value: { error: { data: { instead: "/api/list_agents" } } },
    });
    for (const path of [
      "/v1",
      "/v1/nope",
      "/api",
      "/api/",
      "/api/nope",
      "//v1/rooms",
      "/v1/rooms/",
      "/V1/rooms",
      "/v1/%72ooms",
      "/v1/files/1/2",
      "/constructor",
      "/__proto__",
    ]) {
      expect(await ask(hub, "box1", "GET", path), path).toMatchObject({
        status: 404,
        value: { error: { code: "not_found" } },
      });
    }
  });
});
