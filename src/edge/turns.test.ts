import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTurns } from "./turns.ts";

it("turns let a few through at a time, in their order, and others in between", async () => {
  const turn = openTurns(3);
  const passed: number[] = [];
  const all = Array.from({ length: 8 }, (_, n) => turn().then(() => passed.push(n)));
  const seen: number[] = [];
  for (let round = 0; round < 4; round++) {
    await nextTurn();
    seen.push(passed.length);
  }
  await Promise.all(all);

  expect(seen).toEqual([3, 6, 8, 8]);
  expect(passed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await turn();
});
