import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("list_members", (start) => {
  test("gives administrators everybody, with owner, role, rooms and those who are gone", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("dora").call("deactivate_member", { user_id: "cleo" });

    const members = (await hub.as("dora").call("list_members"))["members"] as Value[];
    const find = (handle: string) => members.find(({ user_id }) => user_id === handle);

    expect(find("ben")).toEqual({
      user_id: "ben",
      kind: "person",
      name: "ben",
      owner: null,
      role: "member",
      rooms: ["lobby", "ops"],
      password: "chosen",
      profile_notes: "",
      created_at: expect.stringMatching(/Z$/),
      deactivated_at: null,
      last_seen: null,
    });
    expect(find("annbot")).toMatchObject({ kind: "agent", owner: "ann", role: null, rooms: [], password: null });
    expect(find("dora")).toMatchObject({ role: "admin", last_seen: expect.stringMatching(/Z$/) });
    expect(find("cleo")).toMatchObject({ deactivated_at: expect.stringMatching(/Z$/) });
    expect(find("zoe")).toBeUndefined();
  });

  test("goes on after a handle, without gap or repeat", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const all = (await hub.as("boss").call("list_members"))["members"] as Value[];

    const seen: Value[] = [];
    for (let after: string | undefined; ;) {
      const page = await hub.as("boss").call("list_members", { limit: 4, after });
      seen.push(...page["members"]);
      if (page["next"] === null) break;
      after = page["next"];
    }

    expect(seen).toEqual(all);
  });
});
