import { expect, test } from "vitest";
import { markPresence } from "../../access/queries.ts";
import { sweepLeases } from "../../housekeeping.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const seen = (hub: TestHub, handle: string, session: string, path: string) =>
  hub.hub.store.write("main", (tx) => markPresence(tx, "main", handle, session, path));

const minutesLeft = (answer: Record<string, string>) =>
  Math.round((Date.parse(answer["lease_ends_at"]!) - Date.parse(answer["claimed_at"]!)) / 60_000);

async function claimAndMeasure(hub: TestHub, session: string, task_id: number) {
  const answer = await hub.as("box2").in(session).call("claim_task", { task_id });
  return minutesLeft({ lease_ends_at: answer["lease_ends_at"], claimed_at: answer["task"].updated_ts });
}

onEachStore("a lease", (start) => {
  test("lasts 30 minutes while a live path reaches the claiming session, 4 hours else, as long as the room says", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    for (const title of ["none", "watched", "elsewhere", "set", "endless"]) await box1.call("create_task", { title });
    await seen(hub, "box2", "watched", "watch");

    const lengths = [
      await claimAndMeasure(hub, "alone", 1),
      await claimAndMeasure(hub, "watched", 2),
      await claimAndMeasure(hub, "alone", 3),
    ];
    await hub.as("chief").call("set_room_policy", { lease_minutes: 7 });
    lengths.push(await claimAndMeasure(hub, "watched", 4));
    await hub.as("chief").call("set_room_policy", { lease_minutes: 0 });
    const endless = await hub.as("box2").call("claim_task", { task_id: 5 });

    expect(lengths).toEqual([240, 30, 240, 7]);
    expect(endless).toMatchObject({ claimed: true, lease_ends_at: null, lease: "This room's claims have no end." });
    hub.later({ days: 400 });
    expect((await box1.call("get_task", { task_id: 5 }))["task"]).toMatchObject({
      status: "in_progress",
      assignee: "box2",
    });
  });

  test("is renewed by its session's calls and hooks, not by its watcher, and not by the member's other sessions", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_room_policy", { lease_minutes: 60 });
    for (const title of ["calls", "hooks", "watches", "sibling"]) await hub.as("box1").call("create_task", { title });
    for (const [index, session] of ["calls", "hooks", "watches", "sibling"].entries()) {
      await hub
        .as("box2")
        .in(session)
        .call("claim_task", { task_id: index + 1 });
    }

    hub.later({ minutes: 40 });
    await hub.as("box2").in("calls").call("list_rooms");
    await seen(hub, "box2", "hooks", "hook");
    await seen(hub, "box2", "watches", "watch");
    await hub.as("box2").in("other").call("list_rooms");
    hub.later({ minutes: 40 });

    const { tasks } = await hub.as("box1").call("list_tasks");
    expect(tasks.map((task: { title: string; assignee: string | null }) => [task.title, task.assignee])).toEqual([
      ["sibling", null],
      ["watches", null],
      ["hooks", "box2"],
      ["calls", "box2"],
    ]);
  });

  test("leaves the task free from the instant it ends, in every answer, before anything is written", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "abandoned" });
    await hub.as("box1").call("create_task", { title: "abandoned and blocked" });
    for (const task_id of [1, 2]) await hub.as("box2").call("claim_task", { task_id });
    await hub.as("box2").call("update_task", { task_id: 2, status: "blocked" });
    hub.later({ hours: 4, seconds: 1 });

    const read = (await hub.as("box1").call("get_task", { task_id: 1 }))["task"];
    const pending = await hub.as("box1").call("list_tasks", { status: "pending" });
    const blocked = await hub.as("box1").call("list_tasks", { status: "blocked" });
    const held = await hub.as("box1").call("list_tasks", { assignee: "box2" });
    const taken = await hub.as("box3").call("claim_task", { task_id: 1 });

    expect(read).toMatchObject({ status: "pending", assignee: null, lease_ends_at: null });
    expect([pending["count"], blocked["count"], held["count"]]).toEqual([1, 1, 0]);
    expect(blocked["tasks"][0]).toMatchObject({ status: "blocked", assignee: null });
    expect(taken).toMatchObject({ claimed: true, claim_number: 2 });
  });

  test("is ended by the sweep once, with an event for the creator and the last holder", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "swept" });
    await hub.as("box1").call("create_task", { title: "kept" });
    await hub.as("box2").call("claim_task", { task_id: 1 });
    hub.later({ hours: 3 });
    await hub.as("box3").call("claim_task", { task_id: 2 });
    hub.later({ hours: 2 });

    await Promise.all([sweepLeases(hub.hub.core), sweepLeases(hub.hub.core)]);

    const ended = (await hub.eventsOf("lobby")).filter((event) => event.kind === "task_lease_ended");
    expect(ended).toEqual([
      { kind: "task_lease_ended", actor: "crewroom", task: 1, detail: "box2", concerns: ["box1", "box2"] },
    ]);
    const { tasks } = await hub.as("box1").call("list_tasks");
    expect(tasks.map((task: { status: string; version: number }) => [task.status, task.version])).toEqual([
      ["in_progress", 2],
      ["pending", 3],
    ]);
  });

  test("lets a holder who wakes up late write nothing over its successor, nor revive what it lost", async () => {
    await using hub = await start();
    for (const title of ["succeeded", "free again"]) await hub.as("box1").call("create_task", { title });
    for (const task_id of [1, 2]) await hub.as("box2").call("claim_task", { task_id });
    hub.later({ hours: 5 });
    await hub.as("box3").call("claim_task", { task_id: 1 });
    const late = hub.as("box2");

    const numbered = await late.try("update_task", { task_id: 1, status: "done", claim_number: 1 });
    const plain = await late.try("update_task", { task_id: 1, body: "mine" });
    const released = await late.call("release_task", { task_id: 1 });
    const free = await late.try("update_task", { task_id: 2, status: "done", claim_number: 1 });
    const again = await late.call("claim_task", { task_id: 2 });

    expect(numbered).toMatchObject({
      ok: false,
      status: 409,
      code: "claim_stale",
      error: { data: { task: 1, yours: 1, current: 2 } },
    });
    expect(plain).toMatchObject({ ok: false, code: "task_move" });
    expect(released).toMatchObject({ released: false, holder: "box3" });
    expect(free).toMatchObject({ ok: false, code: "claim_stale" });
    expect(again).toMatchObject({ claimed: true, claim_number: 2 });
    expect((await hub.as("box1").call("get_task", { task_id: 1 }))["task"]).toMatchObject({
      status: "in_progress",
      assignee: "box3",
      body: "",
    });
  });

  test("stands still while the work is reviewed, and begins anew when it is sent back", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "reviewed", reviewer: "box3" });
    await hub.as("box2").call("claim_task", { task_id: 1 });
    await hub.as("box2").call("update_task", { task_id: 1, status: "done" });
    hub.later({ days: 3 });

    const back = await hub.as("box3").call("update_task", { task_id: 1, status: "in_progress" });

    expect(back["task"]).toMatchObject({ status: "in_progress", assignee: "box2", claim_number: 1 });
    expect((Date.parse(back["task"].lease_ends_at) - Date.parse(back["task"].updated_ts)) / 3_600_000).toBe(4);
  });

  test("warns its holder before it ends", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_room_policy", { lease_minutes: 3 });
    await hub.as("box1").call("create_task", { title: "short" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const holder = await hub.as("box2").call("get_task", { task_id: 1 });
    const other = await hub.as("box1").call("get_task", { task_id: 1 });

    expect(holder["_warning"]).toMatch(/^Your lease ends in 1[78]\d seconds; any call of yours renews it\.$/);
    expect(other["_warning"]).toBeUndefined();
  });
});
