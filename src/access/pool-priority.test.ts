import { stat } from "node:fs/promises";
import { constants, getPriority } from "node:os";
import { expect, it } from "vitest";
import { lowerPoolPriority } from "./pool-priority.ts";

const onLinux = process.platform === "linux";

it("lets the pool's threads, and no other, wait for the event loop", async () => {
  const before = getPriority();
  await stat("."); // the pool's first work
  const pool = lowerPoolPriority();
  expect(pool.length > 0).toBe(onLinux);
  expect(pool.filter((thread) => getPriority(thread) !== constants.priority.PRIORITY_LOW)).toEqual([]);
  expect(getPriority()).toBe(before);
});
