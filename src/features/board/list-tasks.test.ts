import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

const ids = (answer: Record<string, unknown>) => (answer["tasks"] as { id: number }[]).map((task) => task.id);

async function fill(hub: TestHub, count: number, body = "") {
  for (let n = 0; n < count; n += 1) await hub.as("box1").call("create_task", { title: `t${n + 1}`, body });
}

onEachStore("list_tasks", (start) => {
  test("filters by status, open, holder and label, newest first, and knows no other room's", async () => {
    await using hub = await start();
    await fill(hub, 4);
    await hub.as("box2").call("claim_task", { task_id: 2 });
    await hub.as("box1").call("update_task", { task_id: 3, status: "done", labels: ["ops"] });
    await hub.as("box1").call("update_task", { task_id: 4, assignee: "box2" });
    const list = async (input: object) => ids(await hub.as("box2").call("list_tasks", input));

    expect(await list({})).toEqual([4, 3, 2, 1]);
    expect(await list({ status: "open" })).toEqual([4, 2, 1]);
    expect(await list({ status: "in_progress" })).toEqual([2]);
    expect(await list({ assignee: "me" })).toEqual([4, 2]);
    expect(await list({ assignee: "box2", status: "pending" })).toEqual([4]);
    expect(await list({ label: "ops" })).toEqual([3]);
    expect(ids(await hub.as("opsbox").call("list_tasks"))).toEqual([]);
  });

  test("pages through all by before_id, each once", async () => {
    await using hub = await start();
    await fill(hub, 7);
    const pages = [];
    for (let next: object | null = {}; next;) {
      const answer: Record<string, unknown> = await hub.as("watcher").call("list_tasks", { limit: 3, ...next });
      pages.push(ids(answer));
      next = answer["next"] as object | null;
    }

    expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    expect(await hub.as("watcher").try("list_tasks", { limit: 0 })).toMatchObject({ ok: false, code: "bad_input" });
  });

  test("ends a page before its bytes run over, with at least one task, and says that there is more", async () => {
    await using hub = await start();
    await fill(hub, 6, "é".repeat(15_000));

    const answer = await hub.as("box1").call("list_tasks", {});

    expect(ids(answer)).toEqual([6, 5]);
    expect(answer).toMatchObject({ has_more: true, next: { before_id: 5 } });
  });

  test("shows what each task waits for", async () => {
    await using hub = await start();
    await fill(hub, 2);
    await hub.as("box1").call("create_task", { title: "waits", depends_on: [2, 1] });
    await hub.as("box1").call("update_task", { task_id: 1, status: "done" });

    const [waits] = (await hub.as("box1").call("list_tasks", { limit: 1 }))["tasks"];

    expect(waits).toMatchObject({ depends_on: [1, 2], blocked_by_unfinished: [2] });
  });
});

onEachStore("get_task", (start) => {
  test("gives the newest notes first page, and all of 250 by going back or forth, each once", async () => {
    await using hub = await start();
    await fill(hub, 1);
    for (let n = 1; n <= 25; n += 1) {
      await Promise.all(Array.from({ length: 10 }, () => hub.as("box2").call("add_note", { task_id: 1, body: "n" })));
    }
    const walk = async (first: object) => {
      const seen: number[][] = [];
      for (let next: object | null = first; next;) {
        const { task, next: further } = await hub.as("box1").call("get_task", { task_id: 1, ...next });
        seen.push(task.notes.map((note: { id: number }) => note.id));
        next = further;
      }
      return seen;
    };

    const back = await walk({});
    const forth = await walk({ since_note: 0 });

    expect(back.map((page) => [page[0], page.at(-1)])).toEqual([
      [151, 250],
      [51, 150],
      [1, 50],
    ]);
    expect(forth.flat()).toEqual(Array.from({ length: 250 }, (_, n) => n + 1));
  });

  test("ends a page of notes before its bytes run over", async () => {
    await using hub = await start();
    await fill(hub, 1);
    for (let n = 0; n < 6; n += 1) await hub.as("box2").call("add_note", { task_id: 1, body: "x".repeat(16_000) });

    const { task, has_more, next } = await hub.as("box1").call("get_task", { task_id: 1 });

    expect(task.notes.map((note: { id: number }) => note.id)).toEqual([4, 5, 6]);
    expect([has_more, next]).toEqual([true, { before_note: 4 }]);
  });
});

onEachStore("add_note", (start) => {
  test("writes on any task whoever holds it, bumps its version, and refuses an empty one", async () => {
    await using hub = await start();
    await fill(hub, 1);
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
