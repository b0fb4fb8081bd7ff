import { expect, test } from "vitest";
import { LIMITS } from "../../core/limits.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { shortestPath } from "./dependencies.ts";

test("the way round a circle is the shortest one, both ends included", () => {
  const edges = [
    { task: 2, needs: 3 },
    { task: 3, needs: 4 },
    { task: 2, needs: 4 },
    { task: 4, needs: 1 },
  ];

  expect(shortestPath(edges, [2], 1)).toEqual([2, 4, 1]);
});

onEachStore("depends_on", (start) => {
  test("refuses the task itself and circles over two and three, with the way round", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "one" });
    await box1.call("create_task", { title: "two", depends_on: [1] });
    await box1.call("create_task", { title: "three", depends_on: [2] });

    const itself = await box1.try("update_task", { task_id: 1, depends_on: [1] });
    const two = await box1.try("update_task", { task_id: 1, depends_on: [2] });
    const three = await box1.try("update_task", { task_id: 1, depends_on: [3] });

    expect(itself).toMatchObject({ ok: false, status: 400, code: "bad_input" });
    expect([two, three].map((reply) => !reply.ok && [reply.status, reply.code, reply.error["data"].path])).toEqual([
      [409, "dependency_cycle", [1, 2, 1]],
      [409, "dependency_cycle", [1, 3, 2, 1]],
    ]);
  });

  test("refuses exactly one of two edges that close a circle when they come at once", async () => {
    await using hub = await start();
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [round * 2 + 1, round * 2 + 2];
      for (const title of ["a", "b"]) await hub.as("box1").call("create_task", { title });

      const replies = await Promise.all([
        hub.as("box1").try("update_task", { task_id: a, depends_on: [b] }),
        hub.as("box2").try("update_task", { task_id: b, depends_on: [a] }),
      ]);

      expect(replies.map((reply) => String(reply.ok || reply.code)).toSorted()).toEqual(["dependency_cycle", "true"]);
    }
  });

  test("finds a circle over 300 tasks", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "t1" });
    for (let n = 2; n <= 300; n += 1) await box1.call("create_task", { title: `t${n}`, depends_on: [n - 1] });

    const closing = await box1.try("update_task", { task_id: 1, depends_on: [300] });

    expect(!closing.ok && [closing.code, closing.error["data"].path.length]).toEqual(["dependency_cycle", 301]);
  });

  test("is followed over so many tasks and no more, and says so, whatever lies behind them", async () => {
    await using hub = await start();
    const most = LIMITS.dependenciesInAll;
    const box1 = hub.as("box1");
    await box1.call("create_task", { title: "needed by all" });
    await growChain(hub, most + 2);
    const { created } = await box1.call("create_task", { title: "needs them all" });

    const all = await box1.try("update_task", { task_id: created.id, depends_on: [most] });
    const oneMore = await box1.try("update_task", { task_id: created.id, depends_on: [most + 1] });
    const circle = await box1.try("update_task", { task_id: 1, depends_on: [most + 1] });
    const longer = await box1.try("update_task", { task_id: 1, depends_on: [most + 2] });

    expect(all).toMatchObject({ ok: true });
    expect(circle).toMatchObject({ ok: false, code: "dependency_cycle" });
    for (const refused of [oneMore, longer])
      expect(refused).toMatchObject({
        ok: false,
        status: 409,
        code: "too_many",
        message: `There may be at most ${most} tasks that one task needs, directly or not.`,
      });
  });

  test("lists what is missing, and replaces the whole list otherwise", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    for (const title of ["one", "two", "three"]) await box1.call("create_task", { title });
    await box1.call("update_task", { task_id: 3, depends_on: [1] });

    const missing = await box1.try("update_task", { task_id: 3, depends_on: [2, 8, 9] });
    const replaced = await box1.call("update_task", { task_id: 3, depends_on: [2, 2] });

    expect(missing).toMatchObject({ ok: false, code: "dependency_not_found", error: { data: { missing: [8, 9] } } });
    expect(replaced["task"]).toMatchObject({ depends_on: [2], blocked_by_unfinished: [2] });
  });
});

/** Makes tasks 2 to `last` like task 1, each of which needs the one before it. */
async function growChain(hub: TestHub, last: number) {
  await hub.hub.store.write("main", async (tx) => {
    const row = await tx.one<object>(sql`select * from tasks where organization = 'main' and number = 1`);
    const columns = Object.keys(row ?? {});
    const values = columns.map((column) => (column === "number" ? "n.number" : `t.${column}`));
    const numbers = `with recursive n(number) as (select 2 union all select number + 1 from n where number < ${last})`;
    await tx.run({
      texts: [`${numbers} insert into tasks (${columns.join()}) select ${values.join()} from tasks t cross join n`],
      values: [],
    });
    await tx.run(sql`
      insert into dependencies (organization, room, task, needs)
      select organization, room, number, number - 1
      from tasks
      where number > 1`);
    await tx.run(sql`update rooms set last_task = ${last} where organization = 'main' and name = 'lobby'`);
  });
}
