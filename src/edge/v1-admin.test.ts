import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";

interface Asked {
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function get(hub: TestHub, path: string, { as = "boss", headers = {} }: Asked = {}) {
  return answerOf(await hub.as(as).fetch(path, { headers }));
}

async function post(hub: TestHub, path: string, body: unknown, { as = "boss" }: Asked = {}) {
  const headers = { "content-type": "application/json" };
  return answerOf(await hub.as(as).fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function answerOf(response: Response): Promise<{ status: number; value: Value }> {
  return { status: response.status, value: (await response.json()) as Value }; // our own routes answer JSON
}

onEachStore("/v1/admin", (start) => {
  it("shows the state with the original's fields, and no secret", async () => {
    await using hub = await start();
    await hub.as("box1").call("set_room_info", { description: "deploys", onboarding_notes: "read m1" });
    await hub.as("box1").call("post_message", { body: "one" });

    const { status, value } = await get(hub, "/v1/admin/state");
    const script = await (await hub.as("box1").fetch("/v1/hook")).bytes();

    expect(status).toBe(200);
    expect(value).toMatchObject({ you_are: "boss", lan_url: hub.url, public_url: null });
    expect(value["rooms"][0]).toMatchObject({
      name: "lobby",
      description: "deploys",
      repo_url: "",
      onboarding_notes: "read m1",
      retention_days: null,
      open_tasks: 0,
      messages: 1,
      files: 0,
      created_ts: expect.stringMatching(/Z$/),
    });
    expect(value["tokens"].find(({ agent }: Value) => agent === "box1")).toMatchObject({
      agent: "box1",
      default_room: "lobby",
      extra_rooms: ["ops"],
      created_ts: expect.stringMatching(/Z$/),
      last_seen: expect.stringMatching(/Z$/),
      revoked: false,
      readonly: false,
      admin: false,
      all_rooms: false,
    });
    expect(value["server"]).toMatchObject({
      hook_sha256: createHash("sha256").update(script).digest("hex"),
      watch_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      trust_proxy: false,
      ui_enabled: true,
      auth_fail_limit: expect.any(Number),
      max_file_bytes: 1_048_576,
      max_wait_s: 45,
      allowed_hosts: [],
    });
    expect(JSON.stringify(value)).not.toMatch(/crw_|"hash"/);
  });

  it("makes rooms and tokens that work in their rooms alone, revokes and purges", async () => {
    await using hub = await start();

    const room = await post(hub, "/v1/admin/rooms", { name: "attic", description: "Old things.", repo_url: "" });
    const made = await post(hub, "/v1/admin/tokens", { agent: "box9", room: "attic", also_rooms: ["ops"] });
    const token = String(made.value["token"]);
    const inRoom = (name: string) =>
      fetch(`${hub.url}/v1/messages?room=${name}`, { headers: { authorization: `Bearer ${token}` } });
    const statuses = [(await inRoom("attic")).status, (await inRoom("ops")).status, (await inRoom("lobby")).status];
    const revoked = await post(hub, "/v1/admin/tokens/revoke", { agent: "box9" });
    const dead = (await inRoom("attic")).status;
    const young = await post(hub, "/v1/admin/tokens/purge", { older_than_days: 30 });
    const all = await post(hub, "/v1/admin/tokens/purge", { older_than_days: 0 });

    expect(room).toMatchObject({ status: 200, value: { ok: true, created: true, room: { name: "attic" } } });
    expect(made).toMatchObject({
      status: 200,
      value: {
        ok: true,
        shown_once: true,
        agent: "box9",
        room: "attic",
        extra_rooms: ["ops"],
        readonly: false,
        admin: false,
        all_rooms: false,
        setup: { prefer: "lan", lan: { url: hub.url }, public: null, public_hint: expect.any(String) },
      },
    });
    expect([...statuses, dead]).toEqual([200, 200, 403, 401]);
    expect(revoked).toMatchObject({ status: 200, value: { ok: true, agent: "box9", revoked: 1 } });
    expect(young.value).toMatchObject({
      ok: true,
      removed: 0,
      revoked_remaining: 1,
      live_tokens: 8,
      older_than_days: 30,
    });
    expect(all.value).toMatchObject({ ok: true, removed: 1, revoked_remaining: 0, live_tokens: 8, older_than_days: 0 });
    expect(
      (await hub.as("boss").call("get_audit_log", { actor: "boss" }))["events"].map(({ kind, actor }: Value) => [
        kind,
        actor,
      ]),
    ).toEqual([
      ["tokens_purged", "boss"],
      ["token_revoked", "boss"],
      ["token_created", "boss"],
      ["member_added", "boss"],
      ["room_created", "boss"],
    ]);
  });

  it("asks before it ends the token it is called with", async () => {
    await using hub = await start();

    const refused = await post(hub, "/v1/admin/tokens/revoke", { agent: "boss" });
    const meant = await post(hub, "/v1/admin/tokens/revoke", { agent: "boss", confirm_self: true });

    expect(refused).toMatchObject({ status: 409, value: { error: { code: "own_token" } } });
    expect(meant).toMatchObject({ status: 200, value: { agent: "boss", revoked: 1 } });
    expect((await get(hub, "/v1/admin/state")).status).toBe(401);
  });

  it.each([
    ["/v1/admin/rooms", { name: "two words" }],
    ["/v1/admin/rooms", { name: "x".repeat(65) }],
    ["/v1/admin/rooms", {}],
    ["/v1/admin/rooms", { name: 5 }],
    ["/v1/admin/tokens", { room: "lobby" }],
    ["/v1/admin/tokens", { agent: "box9" }],
    ["/v1/admin/tokens", { agent: "box 9", room: "lobby" }],
    ["/v1/admin/tokens", { agent: "box9", room: "lobby", admin: "false" }],
    ["/v1/admin/tokens", { agent: "box9", room: "lobby", readonly: 1 }],
    ["/v1/admin/tokens", { agent: "box9", room: "lobby", all_rooms: "true" }],
    ["/v1/admin/tokens", { agent: "box9", room: "lobby", also_rooms: "ops" }],
    ["/v1/admin/tokens", { agent: "box9", room: "lobby", lan_url: "ftp://hub.lan" }],
    ["/v1/admin/tokens/revoke", {}],
    ["/v1/admin/tokens/revoke", { agent: "box1", confirm_self: "true" }],
    ["/v1/admin/tokens/purge", { older_than_days: "all" }],
    ["/v1/admin/tokens/purge", { older_than_days: -1 }],
    ["/v1/admin/tokens/purge", { older_than_days: 1.5 }],
    ["/v1/admin/tokens/purge", { older_than_days: true }],
    ["/v1/admin/tokens/purge", {}],
  ])("%s refuses %j with 400, and changes nothing", async (path, body) => {
    await using hub = await start();
    const before = await hub.state();

    const answer = await post(hub, path, body);

    expect(answer).toMatchObject({ status: 400, value: { error: { code: "bad_input" } } });
    expect(await hub.state()).toBe(before);
  });

  it("is for administrators of the whole organization alone", async () => {
    await using hub = await start();
    const before = await hub.state();

    for (const as of ["box1", "chief", "roamer", "watcher"]) {
      expect((await get(hub, "/v1/admin/state", { as })).status, as).toBe(403);
      expect((await post(hub, "/v1/admin/rooms", { name: "attic" }, { as })).status, as).toBe(403);
      expect((await post(hub, "/v1/admin/tokens", { agent: "box9", room: "lobby" }, { as })).status, as).toBe(403);
      expect((await post(hub, "/v1/admin/tokens/revoke", { agent: "box2" }, { as })).status, as).toBe(403);
      expect((await post(hub, "/v1/admin/tokens/purge", { older_than_days: 0 }, { as })).status, as).toBe(403);
    }

    expect(await hub.state()).toBe(before);
  });

  it("is not there for those who come through a proxy, unless the console is on; and for nobody when it is off", async () => {
    const proxied = { "x-forwarded-for": "203.0.113.5" };
    await using lan = await start();
    await using on = await start({ CREWROOM_CONSOLE: "on" });
    await using off = await start({ CREWROOM_CONSOLE: "off" });
    const statusOf = async (hub: TestHub, headers: Readonly<Record<string, string>>) =>
      (await get(hub, "/v1/admin/state", { headers })).status;

    expect([await statusOf(lan, {}), await statusOf(lan, proxied)]).toEqual([200, 404]);
    expect([await statusOf(on, {}), await statusOf(on, proxied)]).toEqual([200, 200]);
    expect([await statusOf(off, {}), await statusOf(off, proxied)]).toEqual([404, 404]);
    expect((await get(lan, "/v1/tasks", { headers: proxied })).status).toBe(200);
  });
});
