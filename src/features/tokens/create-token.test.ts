import { expect, test } from "vitest";
import { isWellFormedToken } from "../../core/secrets.ts";
import { RESERVED_HANDLES } from "../../core/fields.ts";
import { sql } from "../../store/sql.ts";
import { makeActor } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

/** Every text of every table that could hold a secret by mistake. */
async function everythingStored({ hub }: TestHub): Promise<string> {
  return hub.store.read(async (tx) => {
    const rows = [
      ...(await tx.all(sql`select kind, actor, detail, concerns, content_hash, hash from events`)),
      ...(await tx.all(sql`select operation, key, request_hash, answer from idempotency`)),
      ...(await tx.all(sql`select id, member, label, hash, created_by from tokens`)),
    ];
    return JSON.stringify(rows);
  });
}

onEachStore("create_token", (start) => {
  test("makes a member with a token that works where it was granted, and says so in the log", async () => {
    await using hub = await start();

    const made = await hub
      .as("boss")
      .call("create_token", { agent: "box9", room: "ops", also_rooms: ["lobby", "ops"] });
    const rooms = await makeActor(hub.url, "box9", made["token"]).call("list_rooms");

    expect(isWellFormedToken(made["token"])).toBe(true);
    expect(made).toMatchObject({
      agent: "box9",
      existing_member: false,
      room: "ops",
      rooms: ["ops", "lobby"],
      roles: ["read", "write"],
      expires_at: null,
    });
    expect(rooms).toMatchObject({ you_are: "box9", default_room: "ops", admin: false, all_rooms: false, count: 2 });
    expect((await hub.eventsOf(null)).slice(-2)).toEqual([
      { kind: "member_added", actor: "boss", detail: "box9", concerns: ["box9"] },
      { kind: "token_created", actor: "boss", detail: `box9 ${made["id"]}: read, write`, concerns: ["box9"] },
    ]);
  });

  test("gives a known agent another token, and says that it is the same member", async () => {
    await using hub = await start();

    const made = await hub
      .as("boss")
      .call("create_token", { agent: "box1", room: "lobby", readonly: true, admin: true });

    expect(made).toMatchObject({ agent: "box1", existing_member: true, roles: ["read"] });
    expect((await hub.eventsOf(null)).map((event) => event.kind)).not.toContain("member_added");
  });

  test("writes the setup text for the addresses it is given, the same on every surface", async () => {
    await using hub = await start({ CREWROOM_PUBLIC_URL: "https://crew.example/" });
    const addresses = { lan_url: "http://10.0.0.7:8090", public_url: "https://other.example/base" };

    const usual = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });
    const given = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby", ...addresses });
    const response = await fetch(`${hub.url}/v1/admin/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${hub.token("boss")}`, "content-type": "application/json" },
      body: JSON.stringify({ agent: "box9", room: "lobby", ...addresses }),
    });
    const alias = (await response.json()) as typeof given;
    const refused = await Promise.all(
      ["ftp://crew.example", "crew.example", "https://crew.example/?a=b", ""].map((lan_url) =>
        hub.as("boss").try("create_token", { agent: "box9", room: "lobby", lan_url }),
      ),
    );

    const urls = ({ setup }: typeof given) => [setup.lan.url, setup.public?.url];
    expect(urls(usual)).toEqual([hub.url, "https://crew.example"]);
    expect(urls(given)).toEqual(["http://10.0.0.7:8090", "https://other.example/base"]);
    expect(given["setup"].lan.claude_cli).toContain(given["token"]);
    const comparable = (answer: typeof given): object =>
      JSON.parse(JSON.stringify(answer).replaceAll(answer["token"], "T").replaceAll(answer["id"], "I"));
    // With what ChatRoomMCP called some of it, too.
    expect(comparable(alias)).toMatchObject(comparable(given));
    expect(refused.map((reply) => (reply.ok ? "ok" : reply.status))).toEqual([400, 400, 400, 400]);
  });

  test("shows the token once: a repeated call says what to do, and nothing that is stored holds it", async () => {
    await using hub = await start();
    const call = { agent: "box9", room: "lobby", idempotency_key: "mint-box9" };

    const first = await hub.as("boss").call("create_token", call);
    const again = await hub.as("boss").call("create_token", call);

    const note =
      "If nobody kept it, end this one and call create_token with another idempotency_key: " +
      "token and setup came once, in the first answer to this key.";
    expect(again).toEqual({ note, ...first, token: null, setup: null });
    expect(Object.keys(again)[0]).toBe("note");
    expect(first).not.toHaveProperty("note");
    expect(await everythingStored(hub)).not.toContain(first["token"]);
    expect(await everythingStored(hub)).toContain(first["id"]);
  });

  test("ends the token when it was to end", async () => {
    await using hub = await start();
    const made = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby", expires: "12h" });
    const box9 = makeActor(hub.url, "box9", made["token"]);

    hub.later({ hours: 11 });
    const before = await box9.try("list_rooms");
    hub.later({ hours: 2 });
    const after = await box9.try("list_rooms");

    expect([before.ok, after.ok]).toEqual([true, false]);
    expect(after).toMatchObject({ status: 401, code: "not_signed_in" });
  });

  test.each([
    ["zero", { expires: "0d" }],
    ["the past", { expires_at: "2020-01-01T00:00:00Z" }],
    ["no zone", { expires_at: "2099-01-01T00:00:00" }],
    ["no such unit", { expires: "3y" }],
    ["two of them", { expires: "3d", expires_at: "2099-01-01T00:00:00Z" }],
  ])("refuses an end that is none: %s", async (_, end) => {
    await using hub = await start();

    const reply = await hub.as("boss").try("create_token", { agent: "box9", room: "lobby", ...end });

    expect(reply).toMatchObject({ ok: false, status: 400, code: "bad_input" });
  });

  test("cuts an end beyond ten years down to ten years", async () => {
    await using hub = await start();

    const made = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby", expires: "999999d" });

    const years = (Date.parse(made["expires_at"]) - Date.now()) / 86_400_000 / 365;
    expect(years).toBeCloseTo(10, 1);
  });

  test("refuses reserved handles and a person's handle, and changes nothing", async () => {
    await using hub = await start();
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`
        insert into members (organization, handle, kind, display_name, created_at)
        values ('main', 'ada', 'person', 'Ada', ${tx.now})`),
    );
    const before = await hub.state();

    const reserved = await Promise.all(
      [...RESERVED_HANDLES, "Box", "a b", "-x", "", "x".repeat(65)].map((agent) =>
        hub.as("boss").try("create_token", { agent, room: "lobby" }),
      ),
    );
    const person = await hub.as("boss").try("create_token", { agent: "ada", room: "lobby" });

    expect(reserved.map((reply) => reply.ok || reply.code)).toEqual(reserved.map(() => "bad_input"));
    expect(person).toMatchObject({ status: 409, code: "handle_taken" });
    expect(await hub.state()).toBe(before);
  });

  test("makes no room by the way, and takes no text for a yes or a list", async () => {
    await using hub = await start();
    const before = await hub.state();

    const missing = await hub.as("boss").try("create_token", { agent: "box9", room: "lobby", also_rooms: ["nope"] });
    const textFlag = await hub.as("boss").try("create_token", { agent: "box9", room: "lobby", admin: "false" });
    const textList = await hub.as("boss").try("create_token", { agent: "box9", room: "lobby", also_rooms: "xyz" });

    expect(missing).toMatchObject({ status: 403, code: "room_not_granted" });
    expect([textFlag, textList]).toMatchObject([{ code: "bad_input" }, { code: "bad_input" }]);
    expect(await hub.state()).toBe(before);
  });

  test("is for administrators of the whole organization alone", async () => {
    await using hub = await start();

    const replies = await Promise.all(
      ["box1", "chief", "roamer", "watcher"].map((handle) =>
        hub.as(handle).try("create_token", { agent: "box9", room: "lobby" }),
      ),
    );

    expect(replies.map((reply) => reply.ok || reply.code)).toEqual(replies.map(() => "not_allowed"));
  });

  test("stays in the caller's organization: the same handle elsewhere is another member", async () => {
    await using hub = await start();

    const made = await hub.as("ruler").call("create_token", { agent: "box1", room: "lobby" });
    const listed = await hub.as("boss").call("list_tokens", { agent: "box1" });

    expect(made["existing_member"]).toBe(false);
    expect(listed["tokens"].map((token: { id: string }) => token.id)).not.toContain(made["id"]);
  });
});
