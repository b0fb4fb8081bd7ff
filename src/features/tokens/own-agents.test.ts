import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { makeActor, type Reply } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

const outcome = (reply: Reply) => (reply.ok ? "ok" : `${reply.status} ${reply.code}`);

onEachStore("a person", (start) => {
  test("mints for an agent of its own, which acts for it and is shown with it", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const made = await hub.as("ben").call("create_token", { agent: "bens-box", room: "ops", also_rooms: ["lobby"] });
    const box = makeActor(hub.url, "bens-box", made["token"]);
    const seen = await box.call("list_agents", { room: "ops" });
    const profile = await box.call("get_user_profile", { user_id: "ann" });

    expect(made).toMatchObject({
      owner: "ben",
      existing_member: false,
      rooms: ["ops", "lobby"],
      roles: ["read", "write"],
    });
    expect(
      seen["agents"]
        .filter(({ owner }: { owner: string }) => owner === "ben")
        .map(({ agent }: { agent: string }) => agent),
    ).toEqual(["bens-box"]);
    expect(profile["profile"]).toMatchObject({ user_id: "ann" });
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "token_created",
      actor: "ben",
      detail: `bens-box ${made["id"]}: read, write`,
      concerns: ["bens-box"],
    });
  });

  test("gives its agents no more than it has: not admin, not all rooms, no room it may not enter, no other owner", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();

    const replies = [];
    for (const more of [
      { admin: true },
      { all_rooms: true },
      { owner: "ben" },
      { owner: "nobody" },
      { room: "ops" },
      { also_rooms: ["ops"] },
      { also_rooms: ["no-such-room"] },
    ])
      replies.push(outcome(await hub.as("ann").try("create_token", { agent: "anns-box", room: "lobby", ...more })));

    expect(replies).toEqual([
      "403 not_allowed",
      "403 not_allowed",
      "403 not_allowed",
      "403 not_allowed",
      "403 room_not_granted",
      "403 room_not_granted",
      "403 room_not_granted",
    ]);
    expect(await hub.state()).toBe(before);
  });

  test("gets no token for another's agent, a person or one who is gone: the handle is taken", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("create_token", { agent: "gone-box", room: "lobby" });
    await hub.as("dora").call("deactivate_member", { user_id: "gone-box" });
    const before = await hub.state();

    const replies = [];
    for (const agent of ["box1", "benbot", "ben", "ann", "gone-box"])
      replies.push(outcome(await hub.as("ann").try("create_token", { agent, room: "lobby" })));

    expect(replies).toEqual(replies.map(() => "409 handle_taken"));
    expect(await hub.state()).toBe(before);
  });

  test("sees and ends tokens of its own agents alone; others' are as unknown", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const all = (await hub.as("boss").call("list_tokens"))["tokens"] as { id: string; agent: string }[];
    const idOf = (agent: string) => all.find((token) => token.agent === agent)?.id;

    const listed = await hub.as("ann").call("list_tokens");
    const others = [];
    for (const input of [
      { token_id: idOf("benbot") },
      { token_id: idOf("box1") },
      { agent: "box1" },
      { agent: "nope" },
    ])
      others.push(outcome(await hub.as("ann").try("revoke_token", input)));
    const own = await hub.as("ann").call("revoke_token", { agent: "annbot" });

    expect(listed["tokens"].map((token: { agent: string }) => token.agent).toSorted()).toEqual(["annbot", "annreader"]);
    expect((await hub.as("ann").call("list_tokens", { agent: "box1" }))["count"]).toBe(0);
    expect(others).toEqual(others.map(() => "404 token_not_found"));
    expect(own).toMatchObject({ revoked: 1, agents: ["annbot"] });
    expect(await hub.as("annbot").try("list_rooms")).toMatchObject({ status: 401 });
  });

  test("mints with its own sign-in, never with an agent's token", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = await Promise.all(
      ["annbot", "annreader"].flatMap((handle) => [
        hub.as(handle).try("create_token", { agent: "anns-box", room: "lobby" }),
        hub.as(handle).try("list_tokens"),
        hub.as(handle).try("revoke_token", { agent: "annbot" }),
      ]),
    );

    expect(replies.map(outcome)).toEqual(replies.map(() => "403 not_allowed"));
  });

  test("has a bounded number of agents and of their tokens", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let made = 1; made < LIMITS.agentsPerPerson; made += 1)
      await hub.as("ben").call("create_token", { agent: `ben-${made}`, room: "lobby" });

    const oneMore = await hub.as("ben").try("create_token", { agent: "ben-more", room: "lobby" });
    const known = await hub.as("ben").try("create_token", { agent: "ben-1", room: "lobby" });
    const administrator = await hub.as("boss").try("create_token", { agent: "ben-more", owner: "ben", room: "lobby" });

    expect(oneMore).toMatchObject({ status: 409, code: "too_many" });
    expect([known.ok, administrator.ok]).toEqual([true, true]);
  });
});

onEachStore("an administrator", (start) => {
  test("says whose agent it is; whose it is never changes, as its older tokens would see what they may not", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const owned = await hub.as("boss").call("create_token", { agent: "cleobot", owner: "cleo", room: "ops" });
    const again = await hub.as("dora").call("create_token", { agent: "cleobot", room: "lobby" });
    const nobodys = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });
    const before = await hub.state();
    const replies = [];
    for (const [agent, owner] of [
      ["cleobot", "ben"],
      ["box9", "ben"],
      ["box1", "ben"],
      ["new-box", "box1"],
      ["new-box", "zoe"],
      ["new-box", "nobody"],
    ])
      replies.push(outcome(await hub.as("boss").try("create_token", { agent, owner, room: "lobby" })));

    expect([owned["owner"], again["owner"], nobodys["owner"]]).toEqual(["cleo", "cleo", null]);
    expect(replies).toEqual([
      "409 handle_taken",
      "409 handle_taken",
      "409 handle_taken",
      "404 person_not_found",
      "404 person_not_found",
      "404 person_not_found",
    ]);
    expect(await hub.state()).toBe(before);
  });
});
