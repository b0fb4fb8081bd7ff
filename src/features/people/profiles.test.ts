import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("list_users", (start) => {
  test("gives the people who are there, each with what it tells of itself, and no agents", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ben").call("set_my_profile", { ownership: ["billing"], notes: "mornings" });
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });

    const listed = await hub.as("annbot").call("list_users");

    const people = listed["users"].map((user: { user_id: string }) => user.user_id);
    expect(people).toEqual(["ann", "ben", "dora"]);
    expect(listed).toMatchObject({ org_id: "main", count: 3, has_more: false, next: null });
    expect(listed["users"][1]).toEqual({
      org_id: "main",
      user_id: "ben",
      name: "ben",
      role: "member",
      ownership: ["billing"],
      notes: "mornings",
      created_at: expect.stringMatching(/Z$/),
    });
  });

  test("goes on after a handle, without gap or repeat", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await hub.as("ann").call("list_users", { limit: 1, after });
      seen.push(...page["users"].map((user: { user_id: string }) => user.user_id));
      if (page["next"] === null) break;
      after = page["next"];
    }

    expect(seen).toEqual(["ann", "ben", "cleo", "dora"]);
  });
});

onEachStore("get_user_profile", (start) => {
  test("answers alike for unknown people, agents, those who are gone, and those of other organizations", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });

    const replies = await Promise.all(
      ["nobody", "annbot", "box1", "cleo", "zoe"].map((user_id) => hub.as("ann").try("get_user_profile", { user_id })),
    );

    expect(replies.map((reply) => (reply.ok ? "ok" : `${reply.status} ${reply.code}`))).toEqual(
      replies.map(() => "404 person_not_found"),
    );
  });
});

onEachStore("set_my_profile", (start) => {
  test("sets what is given, leaves the rest, and tells that it did", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("set_my_profile", { name: "Ann Ames", ownership: ["billing", "staging"] });

    const set = await hub.as("ann").call("set_my_profile", { notes: "ask me anything" });
    const seen = await hub.as("ben").call("get_user_profile", { user_id: "ann" });

    expect(set).toMatchObject({ updated: true, profile: { name: "Ann Ames", ownership: ["billing", "staging"] } });
    expect(seen["profile"]).toEqual(set["profile"]);
    expect((await hub.eventsOf(null)).slice(-2)).toEqual([
      { kind: "profile_changed", actor: "ann", detail: "name, ownership", concerns: [] },
      { kind: "profile_changed", actor: "ann", detail: "notes", concerns: [] },
    ]);
  });

  test("refuses nothing, an empty name, what shows nothing, and texts or lists without end", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();

    for (const input of [
      {},
      { name: "" },
      { name: "\u200b" },
      { name: "x".repeat(101) },
      { ownership: [" "] },
      { ownership: "billing" },
      { ownership: Array.from({ length: 101 }, (_, index) => `area ${index}`) },
      { notes: "x".repeat(4_001) },
      { profile_notes: "mine" },
      { role: "admin" },
      { user_id: "ben", notes: "his" },
    ]) {
      expect(await hub.as("ann").try("set_my_profile", input), JSON.stringify(input)).toMatchObject({ status: 400 });
    }

    expect(await hub.state()).toBe(before);
  });

  test("is the person's own: no agent sets it", async () => {
    await using hub = await start();
    await hub.seatPeople();

    const replies = [
      await hub.as("annbot").try("set_my_profile", { notes: "x" }),
      await hub.as("annbot").try("update_my_notes", { notes: "x" }),
      await hub.as("boss").try("update_my_notes", { notes: "x" }),
    ];

    expect(replies).toMatchObject(replies.map(() => ({ status: 403, code: "not_allowed" })));
  });
});

onEachStore("update_my_notes", (start) => {
  test("replaces the notes with what was sent, byte for byte, and an empty text clears them", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const notes = "  e\u0301 and é,\r\nboth  ";

    const set = await hub.as("ann").call("update_my_notes", { notes });
    const cleared = await hub.as("ann").call("update_my_notes", { notes: "" });

    expect(set).toEqual({ updated: true, user_id: "ann", notes });
    expect(cleared).toEqual({ updated: true, user_id: "ann", notes: "" });
  });
});
