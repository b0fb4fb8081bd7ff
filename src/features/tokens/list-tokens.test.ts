import { expect, test } from "vitest";
import { makeActor } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("list_tokens", (start) => {
  test("says whose, for what, until when and last seen, and never the token or its hash", async () => {
    await using hub = await start();
    const made = await hub.as("boss").call("create_token", {
      agent: "box9",
      room: "ops",
      also_rooms: ["lobby"],
      label: "laptop",
      expires: "1d",
    });
    await makeActor(hub.url, "box9", made["token"]).call("list_rooms");

    const listed = await hub.as("boss").call("list_tokens", { agent: "box9" });

    const [token] = listed["tokens"];
    expect(listed).toMatchObject({ count: 1, has_more: false, next: null });
    expect(token).toMatchObject({
      id: made["id"],
      agent: "box9",
      label: "laptop",
      room: "ops",
      rooms: ["lobby", "ops"],
    });
    expect(token).toMatchObject({ state: "live", revoked: false, created_by: "boss", expires_at: made["expires_at"] });
    expect(token).toMatchObject({ last_seen: expect.stringMatching(/Z$/), last_address: "127.0.0.1" });
    expect(Object.keys(token).toSorted()).not.toContain("hash");
    expect(JSON.stringify(listed)).not.toContain(made["token"]);
  });

  test("pages newest first without gap or repeat", async () => {
    await using hub = await start();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const answer = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });
      made.push(answer["id"]);
    }

    const seen: string[] = [];
    for (let before: string | undefined; ;) {
      const page = await hub.as("boss").call("list_tokens", { agent: "box9", limit: 2, before_id: before });
      seen.push(...page["tokens"].map((token: { id: string }) => token.id));
      if (page["next"] === null) break;
      before = page["next"];
    }

    expect(seen).toEqual(made.toSorted().toReversed());
  });

  test("tells live, expired and revoked apart", async () => {
    await using hub = await start();
    await hub.as("boss").call("create_token", { agent: "short", room: "lobby", expires: "1h" });
    await hub.as("boss").call("create_token", { agent: "ended", room: "lobby" });
    await hub.as("boss").call("create_token", { agent: "lasting", room: "lobby" });
    await hub.as("boss").call("revoke_token", { agent: "ended" });
    hub.later({ hours: 2 });

    const all = await hub.as("boss").call("list_tokens");
    const live = await hub.as("boss").call("list_tokens", { live_only: true });

    const states = Object.fromEntries(
      all["tokens"].map((token: { agent: string; state: string }) => [token.agent, token.state]),
    );
    const agents = live["tokens"].map((token: { agent: string }) => token.agent);
    expect(states).toMatchObject({ short: "expired", ended: "revoked", lasting: "live" });
    expect(agents).toContain("lasting");
    expect(agents).not.toContain("short");
    expect(agents).not.toContain("ended");
  });
});

onEachStore("purge_tokens", (start) => {
  test("removes only what was revoked long enough ago", async () => {
    await using hub = await start();
    await hub.as("boss").call("revoke_token", { agent: "box2" });
    hub.later({ days: 10 });
    await hub.as("boss").call("revoke_token", { agent: "box3" });

    const tooYoung = await hub.as("boss").call("purge_tokens", { older_than_days: 11 });
    const old = await hub.as("boss").call("purge_tokens", { older_than_days: 10 });
    const rest = await hub.as("boss").call("purge_tokens", { older_than_days: 0 });

    expect([tooYoung["removed"], old["removed"], rest["removed"]]).toEqual([0, 1, 1]);
    expect(rest).toMatchObject({ ok: true, revoked_remaining: 0, live_tokens: 6, older_than_days: 0 });
    expect((await hub.eventsOf(null)).filter((event) => event.kind === "tokens_purged")).toHaveLength(2);
    expect(await hub.as("box1").try("list_rooms")).toMatchObject({ ok: true });
  });

  test("removes nothing for an age that is missing, negative or no whole number", async () => {
    await using hub = await start();
    await hub.as("boss").call("revoke_token", { agent: "box2" });
    const before = await hub.state();

    const inputs = [
      {},
      { older_than_days: -1 },
      { older_than_days: 1.5 },
      { older_than_days: "0" },
      { older_than_days: null },
    ];
    const replies = await Promise.all(inputs.map((input) => hub.as("boss").try("purge_tokens", input)));

    expect(replies.map((reply) => reply.ok || reply.code)).toEqual(inputs.map(() => "bad_input"));
    expect(await hub.state()).toBe(before);
  });

  test("frees no handle: the member stays, and a new token is another one of the same member", async () => {
    await using hub = await start();
    await hub.as("boss").call("revoke_token", { agent: "box2" });
    await hub.as("boss").call("purge_tokens", { older_than_days: 0 });

    const made = await hub.as("boss").call("create_token", { agent: "box2", room: "lobby" });

    expect(made["existing_member"]).toBe(true);
  });
});
