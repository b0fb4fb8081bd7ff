import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("update_task", (start) => {
  test("changes what is given against the version it was read at, and refuses an old one with the current task", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "draft", body: "one" });

    const right = await box1.call("update_task", {
      task_id: 1,
      title: " final ",
      priority: 0,
      labels: ["ops"],
      expected_version: 1,
    });
    const stale = await hub
      .as("box2")
      .try("update_task", { task_id: 1, body: "lost", note: "lost", expected_version: 1 });
    const blind = await hub.as("box2").call("update_task", { task_id: 1, body: "two" });

    expect(right["task"]).toMatchObject({ title: "final", body: "one", priority: 0, labels: ["ops"], version: 2 });
    expect(right["_warning"]).toBeUndefined();
    expect(stale).toMatchObject({
      ok: true,
      value: {
        updated: false,
        reason: "your expected_version is 1, the task's is 2",
        your_expected_version: 1,
        current: right["task"],
      },
    });
    expect(blind).toMatchObject({
      updated: true,
      task: { body: "two", version: 3 },
      _warning: expect.stringContaining("expected_version"),
    });
    const details = (await hub.eventsOf("lobby"))
      .filter((event) => event.kind === "task_updated")
      .map((event) => event.detail);
    expect(details).toEqual(["title, priority, labels", "body"]);
  });

  test("loses none of 40 edits that are made at once and repeated when refused", async () => {
    await using hub = await start();
    const handles = ["box1", "box2", "box3", "chief"];
    await hub.as("box1").call("create_task", { title: "tally" });

    await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const caller = hub.as(handles[n % 4]!);
        for (;;) {
          const { body, version } = (await caller.call("get_task", { task_id: 1 }))["task"];
          const answer = await caller.call("update_task", {
            task_id: 1,
            body: `${body}|${n}`,
            expected_version: version,
          });
          if (answer["updated"]) return;
        }
      }),
    );

    const { body, version } = (await hub.as("box1").call("get_task", { task_id: 1 }))["task"];
    const made = body.split("|").slice(1).map(Number);
    expect(made.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(version).toBe(41);
  });

  test("writes and tells nothing when there is nothing to change", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "same", labels: ["b", "a"] });
    const before = await hub.state();

    const answers = [
      await box1.call("update_task", { task_id: 1 }),
      await box1.call("update_task", {
        task_id: 1,
        title: "same",
        status: "pending",
        labels: ["a", "b"],
        assignee: "",
      }),
    ];

    expect(answers.map(({ updated, reason }) => [updated, reason])).toEqual([
      [false, "nothing to change"],
      [false, "nothing to change"],
    ]);
    expect(await hub.state()).toBe(before);
  });

  test("writes a note with the change, tells of both, and concerns whom the note names", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "noted" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    await hub.as("box2").call("update_task", { task_id: 1, status: "blocked", note: "waiting for @box3" });
    await hub.as("box2").call("update_task", { task_id: 1, note: "only a note" });

    const { task } = await hub.as("box1").call("get_task", { task_id: 1 });
    expect(task.version).toBe(4);
    expect(
      task.notes.map(({ id, author, body }: { id: number; author: string; body: string }) => [id, author, body]),
    ).toEqual([
      [1, "box2", "waiting for @box3"],
      [2, "box2", "only a note"],
    ]);
    expect((await hub.eventsOf("lobby")).slice(-3)).toEqual([
      { kind: "task_updated", actor: "box2", task: 1, detail: "status=blocked", concerns: ["box1"] },
      { kind: "note_added", actor: "box2", task: 1, detail: "waiting for @box3", concerns: ["box1", "box3"] },
      { kind: "note_added", actor: "box2", task: 1, detail: "only a note", concerns: ["box1"] },
    ]);
  });

  test("lets only holder, creator, responsible and admin change a held task, and everybody write notes", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "held", responsible: "roamer" });
    await hub.as("box2").call("claim_task", { task_id: 1 });

    const stranger = await hub.as("box3").try("update_task", { task_id: 1, status: "done" });
    const edit = await hub.as("box3").try("update_task", { task_id: 1, priority: 0 });
    const note = await hub.as("box3").call("add_note", { task_id: 1, body: "may I?" });
    const changes = [];
    for (const [priority, handle] of ["box2", "box1", "roamer", "chief"].entries()) {
      changes.push(
        (await hub.as(handle).call("update_task", { task_id: 1, priority: priority === 2 ? 4 : priority }))["updated"],
      );
    }

    expect(stranger).toMatchObject({ ok: false, status: 409, code: "task_move" });
    expect(!stranger.ok && stranger.message).toContain(
      "only its holder box2, its creator box1, its responsible roamer, an admin may",
    );
    expect(edit).toMatchObject({ ok: false, code: "task_move" });
    expect(note["ok"]).toBe(true);
    expect(changes).toEqual([true, true, true, true]);
  });

  test("refuses to start work without a claim, to end what waits, and moves that the table does not have", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "first" });
    await box1.call("create_task", { title: "second", depends_on: [1] });

    const started = await box1.try("update_task", { task_id: 1, status: "in_progress" });
    const ended = await box1.try("update_task", { task_id: 2, status: "done" });
    const reviewed = await box1.try("update_task", { task_id: 1, status: "in_review" });
    await box1.call("update_task", { task_id: 1, status: "done" });
    const closed = await box1.try("update_task", { task_id: 1, status: "cancelled" });
    const unknown = await box1.try("update_task", { task_id: 1, status: "Done" });

    expect([started, ended, reviewed, closed].map((reply) => reply.ok || [reply.status, reply.code])).toEqual([
      [409, "task_move"],
      [409, "dependency_unfinished"],
      [409, "task_move"],
      [409, "task_move"],
    ]);
    expect(!started.ok && started.message).toContain("claim_task");
    expect(unknown).toMatchObject({ ok: false, status: 400, code: "bad_input" });
  });

  test("leads a finished task with a reviewer into review, whose verdict alone ends it either way", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "reviewed", reviewer: "box3" });
    await hub.as("box2").call("claim_task", { task_id: 1 });
    const say = (handle: string, input: object) => hub.as(handle).try("update_task", { task_id: 1, ...input });

    const setAside = await say("box2", { reviewer: "" });
    const finished = await say("box2", { status: "done" });
    const own = await say("box2", { status: "done" });
    const creators = await say("box1", { status: "done" });
    const back = await say("box3", { status: "in_progress", note: "tests are missing" });
    await say("box2", { status: "in_review" });
    const verdict = await say("box3", { status: "done" });

    expect([setAside, own, creators].map((reply) => reply.ok || reply.code)).toEqual([
      "task_move",
      "task_move",
      "task_move",
    ]);
    expect(
      [finished, back, verdict].map((reply) => reply.ok && [reply.value["task"].status, reply.value["task"].assignee]),
    ).toEqual([
      ["in_review", "box2"],
      ["in_progress", "box2"],
      ["done", "box2"],
    ]);
  });

  test("reopens a closed task for its creator, last holder and admins, without a holder", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "again" });
    const reopened = [];
    for (const handle of ["box1", "box2", "chief"]) {
      await hub.as("box2").call("claim_task", { task_id: 1 });
      await hub.as("box2").call("update_task", { task_id: 1, status: "done" });
      const stranger = await hub.as("box3").try("update_task", { task_id: 1, status: "pending" });
      const { task } = await hub.as(handle).call("update_task", { task_id: 1, status: "pending" });
      reopened.push([stranger.ok, task.status, task.assignee]);
    }

    expect(reopened).toEqual(Array.from({ length: 3 }, () => [false, "pending", null]));
  });

  test("frees a held task that is set back to pending, hands it over with an assignee, and reserves a free one", async () => {
    await using hub = await start();
    const box2 = hub.as("box2");
    await hub.as("box1").call("create_task", { title: "moving" });
    await box2.call("claim_task", { task_id: 1 });

    const freed = await box2.call("update_task", { task_id: 1, status: "pending" });
    await box2.call("claim_task", { task_id: 1 });
    const taken = await hub.as("box3").try("update_task", { task_id: 1, assignee: "box3" });
    const handed = await box2.call("update_task", { task_id: 1, assignee: "box3" });
    const cleared = await hub.as("box1").call("update_task", { task_id: 1, assignee: "" });
    const reserved = await hub.as("box1").call("update_task", { task_id: 1, assignee: "me" });
    const stranger = await box2.try("update_task", { task_id: 1, assignee: "opsbox" });

    expect(taken.ok).toBe(false);
    expect([freed, handed, cleared, reserved].map(({ task }) => [task.status, task.assignee])).toEqual([
      ["pending", null],
      ["pending", "box3"],
      ["pending", null],
      ["pending", "box1"],
    ]);
    expect(stranger).toMatchObject({ ok: false, status: 404, code: "member_not_found" });
    const handedOver = (await hub.eventsOf("lobby")).filter((event) => event.concerns?.includes("box3"));
    expect(handedOver.map((event) => event.detail)).toEqual(["status=pending", "assignee"]);
  });

  test("tells the creators of those that wait when a dependency is cancelled", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "needed" });
    await hub.as("box2").call("create_task", { title: "waits", depends_on: [1] });
    await hub.as("box3").call("create_task", { title: "is done", depends_on: [] });

    await hub.as("box1").call("update_task", { task_id: 1, status: "cancelled" });
    const held = await hub.as("box2").call("get_task", { task_id: 2 });
    const freed = await hub.as("box2").call("update_task", { task_id: 2, depends_on: [] });

    expect((await hub.eventsOf("lobby")).find((event) => event.kind === "task_updated")).toMatchObject({
      detail: "status=cancelled",
      concerns: ["box2"],
    });
    expect(held["task"].blocked_by_unfinished).toEqual([1]);
    expect(freed["task"]).toMatchObject({ depends_on: [], blocked_by_unfinished: [] });
  });

  test("refuses what does not fit by the field's name and changes nothing", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "strict" });
    const before = await hub.state();
    const inputs = [
      { title: " \u200b " },
      { title: "x".repeat(301) },
      { body: "x".repeat(16_385) },
      { note: "" },
      { priority: 5 },
      { labels: ["a,b"] },
      { links: ["javascript:alert(1)"] },
      { expected_version: 0 },
      { version: 7 },
      { fence: 7 },
      { claim_number: "1" },
      { depends_on: Array.from({ length: 101 }, (_, n) => n + 2) },
    ];

    for (const input of inputs) {
      const reply = await box1.try("update_task", { task_id: 1, ...input });
      expect(reply, JSON.stringify(input).slice(0, 80)).toMatchObject({ ok: false, status: 400, code: "bad_input" });
      expect(!reply.ok && reply.message).toContain(Object.keys(input)[0]);
    }
    expect(await hub.state()).toBe(before);
  });
});
