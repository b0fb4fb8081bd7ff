import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArenaOptions, openArena } from "./arena.ts";
import { call } from "./http.ts";

/** Whether system calls can be counted here. */
export function canTrace(): boolean {
  return spawnSync("strace", ["-c", "-o", "/dev/null", "true"]).status === 0;
}

/**
 * Counts the calls that make data durable while messages are posted one after another: one commit each, so at least one call
 * each. A kill cannot tell whether a commit would survive a power cut; this can.
 */
export async function everyCommitIsSynced(
  options: Omit<ArenaOptions, "kind" | "under">,
  commits: number,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-soak-trace-"));
  const counts = join(folder, "counts");
  const under = ["strace", "-f", "-c", "-e", "trace=fsync,fdatasync", "-o", counts];
  const arena = await openArena({ ...options, kind: "sqlite", under });
  try {
    await arena.seat(["writer"]);
    for (let written = 0; written < commits; written++)
      await call(arena.target("writer"), "post_message", { body: `${written}` });
    await arena.nodes[0]?.close();
    const synced = sumOfCalls(readFileSync(counts, "utf8"));
    return synced >= commits ? [] : [`${commits} commits and ${synced} calls of fsync and fdatasync`];
  } finally {
    await arena.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lines of the summary: % time, seconds, usecs/call, calls, errors (or nothing), name. */
function sumOfCalls(summary: string): number {
  const rows = summary.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?f(?:data)?sync$/gm);
  return [...rows].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
