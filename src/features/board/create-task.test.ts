import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("create_task", (start) => {
  test("numbers a room's tasks without gaps, whoever makes them at once and whatever is refused between", async () => {
    await using hub = await start();
    const handles = ["box1", "box2", "box3"];

    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        hub
          .as(handles[n % 3]!)
          .try("create_task", n % 5 === 4 ? { title: "x", depends_on: [999] } : { title: `t${n}` }),
      ),
    );
    const elsewhere = await hub.as("opsbox").call("create_task", { title: "other room" });

    const numbers = made.filter((reply) => reply.ok).map((reply) => reply.ok && reply.value["created"].id);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
    expect(elsewhere["created"].id).toBe(1);
  });

  test("keeps what it was given, and tells whom it is for", async () => {
    await using hub = await start();

    const { created } = await hub.as("box1").call("create_task", {
      title: "  Host the poller\t",
      body: " as sent \n for @box3 ",
      priority: 0,
      labels: ["ops", "ops", "night"],
      links: ["https://example.org/pr/1"],
      assignee: "box2",
      responsible: "me",
      reviewer: "roamer",
    });

    expect(created).toMatchObject({
      id: 1,
      room: "lobby",
      title: "Host the poller",
      body: " as sent \n for @box3 ",
      status: "pending",
      assignee: "box2",
      responsible: "box1",
      reviewer: "roamer",
      priority: 0,
      labels: ["ops", "night"],
      links: ["https://example.org/pr/1"],
      version: 1,
      created_by: "box1",
    });
    expect((await hub.eventsOf("lobby")).at(-1)).toEqual({
      kind: "task_created",
      actor: "box1",
      task: 1,
      detail: "Host the poller",
      concerns: ["box2", "roamer", "box3"],
    });
  });

  test("claims it at once when asked to, with both events, and makes nothing when it would have to wait", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");

    const claimed = await box1.call("create_task", { title: "at once", claim: true });
    const before = await hub.state();
    const waiting = await box1.try("create_task", { title: "waits", depends_on: [1], claim: true });
    const others = await box1.try("create_task", { title: "not mine", assignee: "box2", claim: true });

    expect(claimed["created"]).toMatchObject({ status: "in_progress", assignee: "box1", claim_number: 1 });
    expect(claimed["lease"]).toContain("4 h");
    expect((await hub.eventsOf("lobby")).slice(-2).map(({ kind }) => kind)).toEqual(["task_created", "task_claimed"]);
    expect(waiting).toMatchObject({ ok: false, status: 409, code: "dependency_unfinished" });
    expect(others).toMatchObject({ ok: false, status: 400, code: "bad_input" });
    expect(await hub.state()).toBe(before);
  });

  test("refuses dependencies and members that the room does not have, naming them", async () => {
    await using hub = await start();
    await hub.as("opsbox").call("create_task", { title: "in ops" });
    const box1 = hub.as("box1");

    const missing = await box1.try("create_task", { title: "x", depends_on: [7, 1] });
    const foreign = await box1.try("create_task", { title: "x", reviewer: "stranger" });
    const elsewhere = await box1.try("create_task", { title: "x", room: "attic" });

    expect(missing).toMatchObject({
      ok: false,
      status: 404,
      code: "dependency_not_found",
      error: { data: { missing: [7, 1], room: "lobby" } },
    });
    expect(foreign).toMatchObject({ ok: false, status: 404, code: "member_not_found" });
    expect(elsewhere).toMatchObject({ ok: false, status: 403, code: "room_not_granted" });
  });

  test("makes one task of 20 calls with one key, and answers each with it", async () => {
    await using hub = await start();

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => hub.as("box1").call("create_task", { title: "once", idempotency_key: "k1" })),
    );
    const other = await hub.as("box1").try("create_task", { title: "twice", idempotency_key: "k1" });

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await hub.as("box1").call("list_tasks"))["count"]).toBe(1);
    expect(other).toMatchObject({ ok: false, status: 422, code: "key_reused" });
  });

  test("covers tokens of this hub that were pasted into a task or a note", async () => {
    await using hub = await start();
    const token = hub.token("box2");

    const { created } = await hub.as("box1").call("create_task", { title: `use ${token}`, body: token });
    await hub.as("box1").call("add_note", { task_id: 1, body: `or ${token}` });

    expect(created).toMatchObject({ title: "use crw_agt_[masked]", body: "crw_agt_[masked]" });
    expect(JSON.stringify(await hub.as("box3").call("get_task", { task_id: 1 }))).not.toContain(token);
  });
});
