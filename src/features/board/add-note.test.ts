import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("add_note", (start) => {
  test("writes on any task whoever holds it, bumps its version, and refuses an empty one", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "t1" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const added = await hub.as("box3").call("add_note", { task_id: 1, body: "  kept as sent " });
    const empty = await hub.as("box3").try("add_note", { task_id: 1, body: " \u2060\n" });
    const unknown = await hub.as("box3").try("add_note", { task_id: 9, body: "x" });
    const stale = await hub.as("box2").call("update_task", { task_id: 1, status: "done", expected_version: 2 });

    expect(added).toEqual({ ok: true, task_id: 1, note_id: 1, author: "box3", version: 3 });
    expect([empty, unknown].map((reply) => reply.ok || reply.code)).toEqual(["bad_input", "task_not_found"]);
    expect(stale).toMatchObject({ updated: false, current: { version: 3 } });
    expect((await hub.eventsOf("lobby")).at(-1)).toEqual({
      kind: "note_added",
      actor: "box3",
      task: 1,
      detail: "kept as sent",
      concerns: ["box1", "box2"],
    });
  });
});
