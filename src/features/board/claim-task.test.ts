import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("claim_task", (start) => {
  test("gives a task to exactly one of 64 who claim it at once, and tells every loser who holds it", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "contended" });
    const callers = ["box1", "box2", "box3", "chief"].map((handle) => hub.as(handle));

    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, n) => {
        const caller = callers[n % callers.length]!;
        return { handle: caller.handle, answer: await caller.call("claim_task", { task_id: 1 }) };
      }),
    );

    const holders = new Set(answers.map(({ handle, answer }) => (answer["claimed"] ? handle : answer["holder"])));
    expect(holders.size).toBe(1);
    expect(answers.filter(({ answer }) => answer["claimed"]).length).toBe(16);
    expect(new Set(answers.map(({ answer }) => answer["task"].claim_number))).toEqual(new Set([1]));
    const claims = (await hub.eventsOf("lobby")).filter((event) => event.kind === "task_claimed");
    expect(claims.map((claim) => claim.actor)).toEqual([...holders]);
  });

  test("answers the winner with its number and lease, the loser with the holder and until when", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "host the poller" });

    const won = await hub.as("box2").call("claim_task", { task_id: 1 });
    const lost = await hub.as("box3").try("claim_task", { task_id: 1 });

    expect(won).toMatchObject({
      claimed: true,
      claim_number: 1,
      task: { status: "in_progress", assignee: "box2", version: 2 },
    });
    expect(lost).toMatchObject({
      ok: true,
      value: { claimed: false, reason: "box2 holds it", holder: "box2", lease_ends_at: won["lease_ends_at"] },
    });
    expect(lost.ok && lost.value["task"]).toEqual(won["task"]);
  });

  test("answers a holder who claims again with the same claim, and changes and tells nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "mine" });
    const first = await hub.as("box2").call("claim_task", { task_id: 1 });
    const before = await hub.state();

    const again = await hub.as("box2").call("claim_task", { task_id: 1 });

    expect(again).toEqual(first);
    expect(await hub.state()).toBe(before);
  });

  test("tells a member's other session that its sibling holds the task, and lets it take over by asking", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "one of two sessions" });
    const [left, right] = [hub.as("box2").in("left"), hub.as("box2").in("right")];
    await left.call("claim_task", { task_id: 1 });

    const told = await right.call("claim_task", { task_id: 1 });
    const unknown = await hub.as("box2").call("claim_task", { task_id: 1 });
    const taken = await right.call("claim_task", { task_id: 1, take_over: true });
    const turned = await left.call("claim_task", { task_id: 1 });

    expect(told).toMatchObject({
      claimed: false,
      holder: "box2",
      holder_session: "left",
      held_since: expect.any(String),
    });
    expect(unknown).toMatchObject({ claimed: true, claim_number: 1 });
    expect(taken).toMatchObject({ claimed: true, claim_number: 2 });
    expect(turned).toMatchObject({ claimed: false, holder_session: "right" });
  });

  test("lets an admin, and nobody else, take a task over from its holder", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "stuck" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const refused = await hub.as("box3").call("claim_task", { task_id: 1, take_over: true });
    const taken = await hub.as("chief").call("claim_task", { task_id: 1, take_over: true });

    expect(refused).toMatchObject({ claimed: false, holder: "box2" });
    expect(taken).toMatchObject({ claimed: true, claim_number: 2, task: { assignee: "chief" } });
    expect((await hub.eventsOf("lobby")).at(-1)).toMatchObject({
      kind: "task_claimed",
      actor: "chief",
      detail: "taken over from box2",
      concerns: ["box2", "box1"],
    });
  });

  test("keeps a reserved task for the one it is reserved for", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "for box3", assignee: "box3" });

    const other = await hub.as("box2").call("claim_task", { task_id: 1 });
    const meant = await hub.as("box3").call("claim_task", { task_id: 1 });

    expect(other).toMatchObject({ claimed: false, reason: "it is reserved for box3", holder: null });
    expect(meant).toMatchObject({ claimed: true });
  });

  test("refuses a task whose dependencies are not done, a cancelled one among them", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "first" });
    await box1.call("create_task", { title: "second", depends_on: [1] });

    const early = await box1.try("claim_task", { task_id: 2 });
    await box1.call("update_task", { task_id: 1, status: "cancelled" });
    const cancelled = await box1.try("claim_task", { task_id: 2 });
    await box1.call("update_task", { task_id: 1, status: "pending" });
    await box1.call("update_task", { task_id: 1, status: "done" });
    const late = await box1.call("claim_task", { task_id: 2 });

    expect(early).toMatchObject({
      ok: false,
      status: 409,
      code: "dependency_unfinished",
      error: { data: { task: 2, unfinished: [1] } },
    });
    expect(cancelled).toMatchObject({ ok: false, code: "dependency_unfinished" });
    expect(late).toMatchObject({ claimed: true, task: { depends_on: [1], blocked_by_unfinished: [] } });
  });

  test("answers for what is closed or in review that it is so, and takes a blocked task nobody holds", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    for (const title of ["done", "cancelled", "blocked"]) await box1.call("create_task", { title });
    await box1.call("create_task", { title: "reviewed", reviewer: "box3", claim: true });
    await box1.call("update_task", { task_id: 1, status: "done" });
    await box1.call("update_task", { task_id: 2, status: "cancelled" });
    await box1.call("update_task", { task_id: 3, status: "blocked" });
    await box1.call("update_task", { task_id: 4, status: "done" });

    const answers = await Promise.all([1, 2, 3, 4].map((task_id) => hub.as("box2").call("claim_task", { task_id })));

    expect(answers.map(({ claimed, reason }) => reason ?? claimed)).toEqual([
      "it is done",
      "it is cancelled",
      true,
      "box1's work is in review",
    ]);
  });

  test("claims nothing when the version is not the expected one", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "moving" });
    await hub.as("box1").call("add_note", { task_id: 1, body: "wait" });

    const stale = await hub.as("box2").call("claim_task", { task_id: 1, expected_version: 1 });
    const fresh = await hub.as("box2").call("claim_task", { task_id: 1, expected_version: 2 });

    expect(stale).toMatchObject({
      claimed: false,
      reason: "your expected_version is 1, the task's is 2",
      holder: null,
    });
    expect(fresh).toMatchObject({ claimed: true });
  });

  test("does not know a task of another room, of another organization, or none at all", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "here" });

    const replies = await Promise.all([
      hub.as("opsbox").try("claim_task", { task_id: 1 }),
      hub.as("stranger").try("claim_task", { task_id: 1 }),
      hub.as("box1").try("claim_task", { task_id: 99 }),
      hub.as("watcher").try("claim_task", { task_id: 1 }),
    ]);

    expect(replies.map((reply) => reply.ok || reply.code)).toEqual([
      "task_not_found",
      "task_not_found",
      "task_not_found",
      "not_allowed",
    ]);
  });
});
