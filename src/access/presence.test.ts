import { expect, test } from "vitest";
import { sql } from "../store/sql.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { MOST_SESSIONS } from "./session-queries.ts";

const sessionsOf = (hub: TestHub, member: string) =>
  hub.hub.store.read(async (tx) => {
    const rows = await tx.all<{ session: string }>(
      sql`select session from presence where organization = 'main' and member = ${member} order by seen_at`,
    );
    return rows.map((row) => row.session);
  });

onEachStore("presence", (start) => {
  test("of a member's sessions is bounded: the oldest makes room, but none that holds a task, and no other member's", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "held" });
    const holder = hub.as("box2").in("holder");
    await holder.call("claim_task", { task_id: 1 });
    hub.later({ hours: 1 });
    await holder.call("list_rooms");
    await hub.as("box2").in("idle").call("list_rooms");
    hub.later({ minutes: 1 });
    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });

    for (let n = 1; n <= MOST_SESSIONS + 20; n += 1) await hub.as("box2").in(`made-up-${n}`).call("list_rooms");

    const left = await sessionsOf(hub, "box2");
    expect(left).toHaveLength(MOST_SESSIONS + 1);
    expect(left).toEqual(expect.arrayContaining(["holder", `made-up-${MOST_SESSIONS + 20}`]));
    expect(left).not.toContain("idle");
    expect(await sessionsOf(hub, "box1")).toEqual(["-"]);
    expect((await hub.as("box1").call("get_task", { task_id: 1 }))["task"].lease_ends_at).toBe(task.lease_ends_at);
  });
});
