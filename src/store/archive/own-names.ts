import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * A name beside a file for what this process makes on the way to it; what a process that was killed left there is removed.
 */
export function ownName(file: string, what: string): string {
  const folder = dirname(file);
  const mark = `${basename(file)}.${what}-`;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const owner = name.startsWith(mark) ? Number(/^\d+/.exec(name.slice(mark.length))?.[0]) : Number.NaN;
    if (owner > 0 && !isRunning(owner)) rmSync(join(folder, name), { force: true });
  }
  return `${file}.${what}-${process.pid}`;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false; // not by this call
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
