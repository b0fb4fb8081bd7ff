import { isAlive } from "./own-folder.ts";

/** How often (ms) it looks for its parent. */
const LOOK_EVERY = 1_000;

/** Resolves when a program beside an agent is to end: it is told to, its parent is gone, or one of `others`, by process id. */
export function whenOver(...others: readonly number[]): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
    const looking = setInterval(() => {
      if (process.ppid === parent && [parent, ...others].every(isAlive)) return;
      clearInterval(looking);
      resolve();
    }, LOOK_EVERY);
  });
}
