import { expect, test } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore } from "../testkit/hub.ts";

/** What box1 does in its own room, one thing after the other. */
const ACTS: readonly (readonly [operation: string, input: Value])[] = [
  ["set_room_info", {}],
  ["set_room_info", { description: "Sensors" }],
  ["post_message", { body: "hello" }],
  ["create_task", { title: "one", reviewer: "box2" }],
  ["claim_task", { task_id: 1 }],
  ["update_task", { task_id: 1 }],
  ["update_task", { task_id: 1, status: "blocked" }],
  ["add_note", { task_id: 1, body: "noted" }],
  ["release_task", { task_id: 1, reason: "later" }],
  ["claim_next", {}],
  ["update_task", { task_id: 1, status: "done" }],
  ["retract_message", { message_id: 1 }],
];

onEachStore("execute", (start) => {
  test("does the same whether a call names its own room or leaves it out", async () => {
    const told: unknown[] = [];
    for (const room of [{}, { room: "lobby" }]) {
      await using hub = await start();
      const outcomes: unknown[] = [];
      for (const [operation, input] of ACTS) {
        const reply = await hub.as("box1").try(operation, { ...input, ...room });
        outcomes.push(reply.ok ? (reply.value["updated"] ?? "done") : reply.code);
      }
      const verdict = await hub.as("box2").try("update_task", { task_id: 1, status: "done", ...room });
      told.push({ outcomes, verdict: verdict.ok, events: await hub.eventsOf("lobby") });
    }

    expect(told[1]).toEqual(told[0]);
    const outcomes = ["bad_input", "done", "done", "done", "done", false, true, "done", "done", "done", true, "done"];
    expect(told[0]).toMatchObject({ verdict: true, outcomes });
  });
});
