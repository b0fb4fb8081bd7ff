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

  test("gives a body or a note that fills a page alone, and says how to come to the other", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    const bodies = ["b", "1", "2", "3"].map((first) => `${first}${"\u001b".repeat(16_383)}`);
    await box1.call("create_task", { title: "t1", body: bodies[0] });
    for (const body of bodies.slice(1)) await box1.call("add_note", { task_id: 1, body });
    const walk = async (start: object) => {
      const seen: unknown[] = [];
      for (let next: object | null = start; next && seen.length < 9;) {
        const { task, ...rest } = await box1.call("get_task", { task_id: 1, ...next });
        seen.push([task.body || task.body_cut, ...task.notes.map((note: { body: string }) => note.body)]);
        next = rest["next"];
      }
      return seen;
    };
    const cut = "Call get_task without since_note and before_note for the body.";

    expect(await walk({})).toEqual([[bodies[0]], [cut, bodies[3]], [cut, bodies[2]], [cut, bodies[1]]]);
    expect(await walk({ since_note: 0 })).toEqual([
      [cut, bodies[1]],
      [cut, bodies[2]],
      [cut, bodies[3]],
    ]);
    expect(await walk({ since_note: 3 })).toEqual([[bodies[0]]]);
  });
});
