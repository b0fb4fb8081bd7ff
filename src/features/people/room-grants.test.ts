import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

onEachStore("grant_room", (start) => {
  test("lets a person into a room at once, and a second time changes nothing", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.as("ann").try("read_messages", { room: "ops" });

    const granted = await hub.as("dora").call("grant_room", { user_id: "ann", room: "ops" });
    const after = await hub.as("ann").try("read_messages", { room: "ops" });
    const state = await hub.state();
    const again = await hub.as("boss").call("grant_room", { user_id: "ann", room: "ops" });

    expect([before.ok, after.ok]).toEqual([false, true]);
    expect(granted).toEqual({ granted: true, user_id: "ann", rooms: ["lobby", "ops"] });
    expect(again).toEqual({ ...granted, granted: false });
    expect(await hub.state()).toBe(state);
    expect((await hub.eventsOf(null)).at(-1)).toEqual({
      kind: "member_changed",
      actor: "dora",
      detail: "ann may enter ops",
      concerns: ["ann"],
    });
  });
});

onEachStore("grant_room and revoke_room", (start) => {
  test("give a room to all tokens of an agent, and take it; of a room made anew too", async () => {
    await using hub = await start();
    await hub.as("boss").call("delete_room", { room: "lobby" });
    await hub.as("boss").call("create_room", { name: "lobby" });
    const before = await hub.as("box2").try("read_messages");

    const granted = await hub.as("boss").call("grant_room", { user_id: "box2", room: "lobby" });
    const own = await hub.as("box2").call("read_messages");
    const again = await hub.as("boss").call("grant_room", { user_id: "box2", room: "lobby" });
    const revoked = await hub.as("boss").call("revoke_room", { user_id: "box2", room: "lobby" });
    const after = await hub.as("box2").try("read_messages", { room: "lobby" });
    const twice = await hub.as("boss").call("revoke_room", { user_id: "box2", room: "lobby" });

    expect(before).toMatchObject({ status: 403, code: "room_not_granted" });
    expect(granted).toEqual({ granted: true, user_id: "box2", rooms: ["lobby"] });
    expect(own["room"]).toBe("lobby");
    expect(again["granted"]).toBe(false);
    expect(revoked).toEqual({ revoked: true, user_id: "box2", agents: [], rooms: [] });
    expect(after).toMatchObject({ status: 403, code: "room_not_granted" });
    expect(twice["revoked"]).toBe(false);
  });

  test("let nobody's agent go where its person may not", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const beyond = await hub.as("dora").try("grant_room", { user_id: "annbot", room: "ops" });
    await hub.as("dora").call("grant_room", { user_id: "ann", room: "ops" });
    const within = await hub.as("dora").call("grant_room", { user_id: "annbot", room: "ops" });
    const nobody = await hub.as("dora").try("grant_room", { user_id: "zoebot", room: "ops" });

    expect(beyond).toMatchObject({ status: 403, code: "room_not_granted" });
    expect(within).toEqual({ granted: true, user_id: "annbot", rooms: ["lobby", "ops"] });
    expect(nobody).toMatchObject({ status: 404, code: "person_not_found" });
  });
});

onEachStore("revoke_room", (start) => {
  test("takes a room from a person and from its agents' tokens, and leaves them the rest", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ben").call("create_token", { agent: "benbot", room: "ops" });
    const box = await hub.add("opsben", { rooms: ["ops", "lobby"] });

    const revoked = await hub.as("dora").call("revoke_room", { user_id: "ben", room: "lobby" });
    const replies = [
      await hub.as("ben").try("read_messages", { room: "lobby" }),
      await hub.as("benbot").try("read_messages", { room: "lobby" }),
      await hub.as("ben").try("read_messages", { room: "ops" }),
      await box.try("read_messages", { room: "lobby" }),
    ];
    const again = await hub.as("dora").call("revoke_room", { user_id: "ben", room: "lobby" });

    expect(revoked).toEqual({ revoked: true, user_id: "ben", agents: ["benbot"], rooms: ["ops"] });
    expect(replies.map((reply) => reply.ok || reply.code)).toEqual([
      "room_not_granted",
      "room_not_granted",
      true,
      true,
    ]);
    expect(again).toEqual({ revoked: false, user_id: "ben", agents: [], rooms: ["ops"] });
  });

  test("ends open streams of that room within two seconds, and those of other rooms go on", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await using lobby = await followStream(hub, "ben", "?after=now&room=lobby");
    await using ops = await followStream(hub, "ben", "?after=now&room=ops");
    await using agents = await followStream(hub, "benbot", "?after=now");

    await hub.as("dora").call("revoke_room", { user_id: "ben", room: "lobby" });
    const revokedAt = performance.now();
    await Promise.all([lobby.ended(), agents.ended()]);
    const endedAfter = performance.now() - revokedAt;
    await hub.as("box1").call("post_message", { room: "ops", body: "still here?" });
    const frame = await ops.next("chat");

    expect(endedAfter).toBeLessThan(2_000);
    expect(frame.data).toMatchObject({ body: "still here?" });
  });

  test("ends a wait in that room with what is the case", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ben").call("whats_new");

    const waiting = hub.as("ben").try("wait_for_change", { timeout_s: 20 });
    await expect.poll(() => hub.hub.core.feed.open).toBe(1);
    await hub.as("dora").call("revoke_room", { user_id: "ben", room: "lobby" });
    const reply = await waiting;

    expect(reply).toMatchObject({
      ok: false,
      status: 403,
      code: "room_not_granted",
      error: { data: { rooms: ["ops"] } },
    });
  });
});

onEachStore("grant_room and revoke_room", (start) => {
  test("answer alike for unknown people, those who are gone and other organizations'; and name rooms there are", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });
    await hub.as("yuri").call("create_room", { name: "theirs" });
    const before = await hub.state();

    const people = [];
    const rooms = [];
    for (const operation of ["grant_room", "revoke_room"]) {
      for (const user_id of ["nobody", "zoe", "zoebot", "stranger", "cleo"])
        people.push(await hub.as("dora").try(operation, { user_id, room: "ops" }));
      for (const room of ["nowhere", "theirs"])
        rooms.push(await hub.as("dora").try(operation, { user_id: "ann", room }));
    }

    expect(people).toMatchObject(people.map(() => ({ status: 404, code: "person_not_found" })));
    expect(rooms).toMatchObject(
      rooms.map(() => ({ status: 403, code: "room_not_granted", error: { data: { rooms: ["lobby", "ops"] } } })),
    );
    expect(await hub.state()).toBe(before);
  });

  test("are no tools: an administrator's agent is not offered them", async () => {
    await using hub = await start();
    const response = await hub.as("boss").fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });

    const names = ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(
      ({ name }) => name,
    );

    expect(names).toEqual(expect.arrayContaining(["set_room_policy", "deactivate_member", "get_audit_log"]));
    expect(names).not.toEqual(expect.arrayContaining(["grant_room"]));
    expect(names).not.toEqual(expect.arrayContaining(["revoke_room"]));
    expect(names).not.toEqual(expect.arrayContaining(["list_members"]));
  });
});
