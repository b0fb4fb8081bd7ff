import { expect, test } from "vitest";
import { onEachStore } from "../../testkit/hub.ts";

onEachStore("get_task", (start) => {
  test("gives the newest notes first page, and all of 250 by going back or forth, each once", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "t1" });
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
    await hub.as("box1").call("create_task", { title: "t1" });
    for (let n = 0; n < 6; n += 1) await hub.as("box2").call("add_note", { task_id: 1, body: "x".repeat(16_000) });

    const { task, has_more, next } = await hub.as("box1").call("get_task", { task_id: 1 });

    expect(task.notes.map((note: { id: number }) => note.id)).toEqual([4, 5, 6]);
    expect([has_more, next]).toEqual([true, { before_note: 4 }]);
  });
});
