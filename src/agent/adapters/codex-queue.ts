import { spawn } from "node:child_process";

/** Codex takes a message for a thread in less (measured: 0.3 s); after so long (ms) it is ended. */
const PATIENCE = 15_000;

/**
 * Puts a line of ours into a thread's queue, which wakes it when it is idle; one that is not open has it when it is opened
 * again. Never a text of others: it stands there as the user's own.
 *
 * @param thread  what Codex calls the session, to its hooks too.
 * @returns whether Codex took it.
 * @source `codex queue --help`, version 0.171.0.
 */
export function queueFor(thread: string, text: string, program = "codex"): Promise<boolean> {
  return new Promise((resolve) => {
    // Its own name for a thread is all that may stand there.
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(thread)) return resolve(false);
    const args = ["queue", "--thread", thread, "--message", text];
    spawn(program, args, { stdio: "ignore", timeout: PATIENCE, shell: false })
      .on("error", () => resolve(false))
      .on("close", (code) => resolve(code === 0));
  });
}
