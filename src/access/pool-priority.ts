import { readdirSync, readFileSync } from "node:fs";
import { constants, setPriority } from "node:os";

/** Linux tells a process's threads here, and takes a thread's number where it takes a process's. */
const THREADS = "/proc/self/task";
/** What Node calls the threads of its pool, where passwords are hashed. */
const POOL_THREAD = "libuv-worker";

/**
 * Lets the threads of Node's pool wait for the event loop where processors are short, so that hashing costs callers less. They
 * exist from the pool's first work on. Gives their numbers: none on systems other than Linux, where all stays as it is.
 *
 * @source man 2 setpriority, "C library/kernel differences": a thread's number stands for that thread alone
 */
export function lowerPoolPriority(): number[] {
  try {
    const threads = readdirSync(THREADS).filter((thread) => nameOf(thread) === POOL_THREAD);
    const pool = threads.map(Number);
    for (const thread of pool) setPriority(thread, constants.priority.PRIORITY_LOW);
    return pool;
  } catch {
    return [];
  }
}

function nameOf(thread: string): string {
  return readFileSync(`${THREADS}/${thread}/comm`, "utf8").trim();
}
