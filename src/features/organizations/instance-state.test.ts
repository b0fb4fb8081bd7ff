import { expect, test } from "vitest";
import { saveVerifiedBackup } from "../backup/queries.ts";
import { VERSION } from "../../version.ts";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("instance_state", (start, kind) => {
  test("shows rooms with counts, tokens without secrets, the log and how the hub is set up", async () => {
    await using hub = await start({ CREWROOM_LEASE_MINUTES: "17" });
    await hub.as("box1").call("post_message", { body: "hello" });
    await hub.as("box1").call("create_task", { title: "one" });

    const state = await hub.as("boss").call("instance_state");
    const log = await hub.as("boss").call("read_events", {});

    expect(state).toMatchObject({ you_are: "boss", version: VERSION, url: hub.url, organization: { id: "main" } });
    expect(
      state["rooms"].map(({ name, messages, open_tasks }: Record<string, unknown>) => [name, messages, open_tasks]),
    ).toEqual([
      ["lobby", 1, 1],
      ["ops", 0, 0],
    ]);
    expect(state["log"]["cursor"]).toBe(`${state["log"]["epoch"]}.${state["log"]["head"]}`);
    expect(state["log"]["cursor"]).toBe(log["cursor"]);
    expect(state["server"]).toMatchObject({ store: kind, lease_minutes: 17 });
    expect(state["token_counts"]).toEqual({ live: 8, expired: 0, revoked: 0 });
    expect(JSON.stringify(state)).not.toContain("crw_");
  });

  test("tells when a backup was last read back", async () => {
    await using hub = await start();

    const never = await hub.as("boss").call("instance_state");
    await hub.hub.store.write("main", (tx) =>
      saveVerifiedBackup(tx, { made_at: tx.now - 60_000, rows: 1, sha256: "" }),
    );
    const once = await hub.as("boss").call("instance_state");

    expect(never["verified_backup"]).toBeNull();
    const { made_at, verified_at } = once["verified_backup"];
    expect(Date.parse(verified_at) - Date.parse(made_at)).toBe(60_000);
  });

  test("shows nothing of another organization", async () => {
    await using hub = await start();

    const state = await hub.as("ruler").call("instance_state");

    const agents = state["tokens"].map((token: { agent: string }) => token.agent);
    expect(agents.toSorted()).toEqual(["ruler", "stranger"]);
  });

  test("stays within one page however many tokens there are", async () => {
    await using hub = await start();
    for (let round = 0; round < 10; round += 1) {
      const input = { agent: "box9", room: "lobby", label: "x".repeat(100) };
      await Promise.all(Array.from({ length: 20 }, () => hub.as("boss").call("create_token", input)));
    }

    const state = await hub.as("boss").call("instance_state");

    expect(state["more_tokens"]).toBe(true);
    expect(JSON.stringify(state).length).toBeLessThan(64_000);
  });
});
