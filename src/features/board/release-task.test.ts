import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("release_task", (start) => {
  test("refuses a claim that another session of the member has taken over (P3)", async () => {
    await using hub = await start();
    const [stale, fresh] = [hub.as("box2").in("laptop"), hub.as("box2").in("desk")];
    await hub.as("box1").call("create_task", { title: "taken over" });
    const first = await stale.call("claim_task", { task_id: 1 });
    const second = await fresh.call("claim_task", { task_id: 1, take_over: true });
    const before = await hub.state();

    const late = await stale.try("release_task", { task_id: 1, claim_number: first["claim_number"] });
    expect(late).toMatchObject({ status: 409, code: "claim_stale" });
    expect(await hub.state()).toBe(before);
    const released = await fresh.call("release_task", { task_id: 1, claim_number: second["claim_number"] });

    expect(released).toMatchObject({ released: true, task: { status: "pending" } });
  });

  test("gives a held task back with the reason as a note, and answers a second release that nobody holds it", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "given back" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const released = await hub.as("box2").call("release_task", { task_id: 1, reason: "box2 is down" });
    const twice = await hub.as("box2").call("release_task", { task_id: 1 });

    expect(released).toMatchObject({
      released: true,
      task: { status: "pending", assignee: null, lease_ends_at: null, version: 3 },
    });
    expect(twice).toMatchObject({
      released: false,
      reason: "it is pending and nobody holds it",
      holder: null,
      task: { version: 3 },
    });
    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });
    expect(task.notes).toMatchObject([{ id: 1, author: "box2", body: "released: box2 is down" }]);
    expect((await hub.eventsOf("lobby")).at(-1)).toEqual({
      kind: "task_released",
      actor: "box2",
      task: 1,
      detail: "box2 is down",
      concerns: ["box1"],
    });
  });

  test("hands a task on to a member, for whom it is then reserved and who is told", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "handed on" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const handed = await hub.as("box2").call("release_task", { task_id: 1, to: "box3", reason: "yours" });
    const other = await hub.as("box1").call("claim_task", { task_id: 1 });
    const next = await hub.as("box3").call("claim_task", { task_id: 1 });

    expect(handed["task"]).toMatchObject({ status: "pending", assignee: "box3" });
    expect(other["claimed"]).toBe(false);
    expect(next).toMatchObject({ claimed: true, claim_number: 2 });
    const event = (await hub.eventsOf("lobby")).find(({ kind }) => kind === "task_released");
    expect(event).toMatchObject({ detail: "to box3: yours", concerns: ["box1", "box3"] });
  });

  test("answers everybody but the holder and an admin who holds it, and until when", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "held" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const creator = await hub.as("box1").try("release_task", { task_id: 1 });
    const admin = await hub.as("chief").call("release_task", { task_id: 1 });

    expect(creator).toMatchObject({
      ok: true,
      value: { released: false, reason: "box2 holds it", holder: "box2", lease_ends_at: expect.any(String) },
    });
    expect(admin).toMatchObject({ released: true, task: { status: "pending" } });
    expect((await hub.eventsOf("lobby")).at(-1)?.concerns).toEqual(["box1", "box2"]);
  });

  test("does not reopen a done task", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "over", claim: true });
    await hub.as("box1").call("update_task", { task_id: 1, status: "done" });

    const answer = await hub.as("box1").call("release_task", { task_id: 1 });

    expect(answer).toMatchObject({
      released: false,
      reason: "it is done and nobody holds it",
      task: { status: "done", assignee: "box1" },
    });
  });

  test("releases nothing at another version than the expected one, nor to somebody who cannot enter the room", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "moving", claim: true });

    const stale = await hub.as("box1").call("release_task", { task_id: 1, expected_version: 1 });
    const stranger = await hub.as("box1").try("release_task", { task_id: 1, to: "opsbox" });

    expect(stale).toMatchObject({
      released: false,
      your_expected_version: 1,
      task: { status: "in_progress", version: 2 },
    });
    expect(stranger).toMatchObject({ ok: false, code: "member_not_found" });
  });
});
