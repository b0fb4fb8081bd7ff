import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("claim_next", (start) => {
  test("hands 64 who call at once 64 different tasks, the most urgent ones", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    for (let n = 1; n <= 70; n += 1) await box1.call("create_task", { title: `t${n}`, priority: n % 5 });
    const callers = ["box1", "box2", "box3", "chief"].map((handle) => hub.as(handle));

    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => callers[n % 4]!.call("claim_next")));

    const taken = new Set(answers.map((answer) => answer["task"].id));
    expect(taken.size).toBe(64);
    const left = await box1.call("list_tasks", { status: "pending" });
    expect(left["tasks"].map((task: { priority: number }) => task.priority)).toEqual([4, 4, 4, 4, 4, 4]);
  });

  test("passes over what is reserved for others, waits for something, is blocked or lacks a label", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "waited for", priority: 4 });
    await box1.call("create_task", { title: "waiting", priority: 0, depends_on: [1] });
    await box1.call("create_task", { title: "reserved", priority: 0, assignee: "box3" });
    await box1.call("create_task", { title: "blocked", priority: 0 });
    await box1.call("update_task", { task_id: 4, status: "blocked" });
    await box1.call("create_task", { title: "labelled", priority: 3, labels: ["ops", "night"] });

    const labelled = await hub.as("box2").call("claim_next", { labels: ["night", "ops"] });
    const plain = await hub.as("box2").call("claim_next", {});
    const nothing = await hub.as("box2").call("claim_next", {});

    expect([labelled["task"].id, plain["task"].id]).toEqual([5, 1]);
    expect(nothing).toMatchObject({ claimed: false, reason: "nothing ready" });
  });

  test("takes a task whose lease has ended, and tells of both", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "left behind", claim: true });
    hub.later({ hours: 5 });

    const next = await hub.as("box2").call("claim_next", {});

    expect(next).toMatchObject({ claimed: true, claim_number: 2, task: { id: 1 } });
    expect((await hub.eventsOf("lobby")).slice(-2).map(({ kind, actor }) => [kind, actor])).toEqual([
      ["task_lease_ended", "crewroom"],
      ["task_claimed", "box2"],
    ]);
  });
});
