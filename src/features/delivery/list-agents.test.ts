import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

const namesOf = (answer: Record<string, unknown>) =>
  (answer["agents"] as { agent: string }[]).map((entry) => entry.agent);

onEachStore("list_agents", (start) => {
  test("gives each member who can enter once, those with all rooms too, and marks the caller", async () => {
    await using hub = await start();
    await hub.add("box2", { rooms: ["lobby"] });

    const lobby = await hub.as("box1").call("list_agents");
    const ops = await hub.as("box1").call("list_agents", { room: "ops" });

    expect(namesOf(lobby)).toEqual(["boss", "box1", "box2", "box3", "chief", "roamer", "watcher"]);
    expect(namesOf(ops)).toEqual(["boss", "box1", "opsbox", "roamer"]);
    expect(lobby).toMatchObject({ room: "lobby", you_are: "box1", count: 7, has_more: false, next: null });
    expect((lobby["agents"] as { agent: string; is_you: boolean }[]).filter((entry) => entry.is_you)).toEqual([
      {
        agent: "box1",
        kind: "agent",
        display_name: "box1",
        owner: null,
        last_seen: expect.stringMatching(/Z$/),
        is_you: true,
        paths: ["tool"],
        pull_only: true,
      },
    ]);
  });

  test("takes a path for live no longer than a minute, and remembers when it was", async () => {
    await using hub = await start();
    await hub.as("box2").call("whats_new");
    const entryOf = async () =>
      ((await hub.as("box1").call("list_agents"))["agents"] as { agent: string; pull_only?: true }[]).find(
        ({ agent }) => agent === "box2",
      );

    const before = await entryOf();
    hub.later({ seconds: 61 });
    const after = await entryOf();

    expect(before).toMatchObject({ paths: ["tool"] });
    expect(after).toEqual({ ...before, paths: [], pull_only: undefined });
  });

  test("says that a person before a browser was seen, and counts on no path to it", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await (await hub.browser("ann")).call("whats_new");
    await hub.as("ben").call("whats_new");

    const { agents } = await hub.as("box1").call("list_agents");
    const { mentioned } = await hub.as("box1").call("post_message", { body: "@ann @ben look" });

    const entries = (agents as { agent: string }[]).filter(({ agent }) => ["ann", "ben", "cleo"].includes(agent));
    const seen = expect.stringMatching(/Z$/);
    expect(entries).toMatchObject([
      { agent: "ann", kind: "person", paths: [], last_seen: seen },
      { agent: "ben", kind: "person", paths: ["tool"], last_seen: seen },
      { agent: "cleo", kind: "person", paths: [], last_seen: null },
    ]);
    expect(mentioned).toEqual([
      { handle: "ann", paths: [], last_seen: seen },
      { handle: "ben", paths: ["tool"], last_seen: seen, pull_only: true },
    ]);
  });

  test("leaves out whoever can no longer enter", async () => {
    await using hub = await start();
    await hub.as("boss").call("revoke_token", { agent: "box3" });

    expect(namesOf(await hub.as("box1").call("list_agents"))).not.toContain("box3");
  });

  test("goes on after a handle", async () => {
    await using hub = await start();

    const first = await hub.as("box1").call("list_agents", { limit: 4 });
    const rest = await hub.as("box1").call("list_agents", { limit: 4, ...first["next"] });

    expect(first).toMatchObject({ has_more: true, next: { after: "box3" } });
    expect(namesOf(rest)).toEqual(["chief", "roamer", "watcher"]);
  });
});
