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
