import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that only this user can write: names in the common one are guessed, and others could lie in wait there. */
export function ownFolder(): string | undefined {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `crewroom-${user ?? "agent"}`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = lstatSync(folder);
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
    return isOwn && found.isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A file's name for what belongs together: nothing of it can be read from the name. */
export function nameOf(owner: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 32);
}

/** Whether this was noted within so many ms; else it is noted now. */
export function wasNoted(file: string, ms: number): boolean {
  const now = Date.now();
  const last = modifiedAt(file);
  // A time to come is a clock that was set back.
  if (last !== undefined && last <= now && now - last < ms) return true;
  if (last === undefined) create(file, "");
  else utimesSync(file, now / 1_000, now / 1_000);
  return false;
}

/**
 * Takes a lock for this process; false when another one has it. What a process left that was killed is taken over.
 *
 * @param longest  so old (ms) no lock of a living process can be; without it, only the process tells.
 */
export function takeLock(file: string, longest?: number): boolean {
  if (isAbandoned(file, longest)) rmSync(file, { force: true });
  return create(file, String(process.pid));
}

export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Another user's is alive too.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

function isAbandoned(file: string, longest: number | undefined): boolean {
  const since = modifiedAt(file);
  if (since === undefined) return false;
  if (longest !== undefined && Math.abs(Date.now() - since) > longest) return true;
  const owner = Number(readIfThere(file));
  return owner > 0 && !isAlive(owner);
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function modifiedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function create(file: string, text: string): boolean {
  try {
    const made = openSync(file, "wx", 0o600);
    writeFileSync(made, text);
    closeSync(made);
    return true;
  } catch {
    return false;
  }
}
