import { expect, test } from "vitest";
import { sql } from "../src/store/sql.ts";
import { onEachStore } from "../src/testkit/hub.ts";

onEachStore("a log whose history was replaced", (start) => {
  test("says so to every reader with a cursor of before, and never skips or reuses a number in silence (P6)", async () => {
    await using hub = await start();
    for (const body of ["one", "two", "three"]) await hub.as("box1").call("post_message", { body });
    const before = await hub.as("box2").call("read_events", { since_id: 0 });

    // What restoring a backup does.
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update logs set epoch = ${"restored0000"} where organization = ${"main"}`),
    );
    const cursor = before["cursor"];
    const replies = [
      await hub.as("box2").try("read_events", { since_id: cursor }),
      await hub.as("box2").try("whats_new", { ack: cursor }),
      await hub.as("box2").try("wait_for_change", { since_id: cursor, timeout_s: 1 }),
    ];
    const stream = await hub.as("box2").fetch("/v1/stream", { headers: { "last-event-id": cursor } });

    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 410, code: "epoch_changed", error: { data: { epoch: "restored0000" } } });
    }
    expect(stream.status).toBe(410);
    await stream.text();
  });
});
