import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a run leaves for the next one of its session. */
export interface Marker {
  /** The cursor of what was printed last; the hub is told with the next call. */
  readonly ack?: string;
  /** Everything from this event on was printed, and everything for the agent from that one on. */
  readonly shown_from?: number;
  readonly for_you_from?: number;
}

/** A session's own corner in the folder for temporary files. Nothing in it is secret, and losing it loses no news. */
export interface Corner {
  /** Takes the corner for this run; false when another run of the session has it. What a dead run left is taken over. */
  take(): boolean;
  release(): void;
  read(): Marker;
  write(marker: Marker): void;
  drop(): void;
  /** Whether the last check was within so many ms; else it is now. */
  wasChecked(ms: number): boolean;
}

/** A run that lives longer (ms) has met something that no deadline of ours ends. */
const LONGEST_RUN = 30_000;

/** @param owner  what the corner is of: the hub's address, the token, the room, the session. */
export function openCorner(owner: readonly (string | undefined)[]): Corner | undefined {
  const folder = ownFolder();
  if (folder === undefined) return undefined;
  const base = join(folder, `hook-${nameOf(owner)}`);
  const marker = `${base}.json`;
  const lock = `${base}.lock`;

  return {
    take() {
      if (isAbandoned(lock)) rmSync(lock, { force: true });
      return create(lock, String(process.pid));
    },
    release: () => rmSync(lock, { force: true }),
    read: () => readMarker(marker),
    write(next) {
      const scratch = `${base}.${process.pid}`;
      writeFileSync(scratch, JSON.stringify(next), { mode: 0o600 });
      renameSync(scratch, marker);
    },
    drop() {
      for (const file of [marker, `${base}.check`]) rmSync(file, { force: true });
    },
    wasChecked: (ms) => wasNoted(`${base}.check`, ms),
  };
}

/** Whether a notice to this owner was noted within so many ms; else it is noted now. Where nothing can be noted it was. */
export function wasNoticed(owner: readonly (string | undefined)[], ms: number): boolean {
  const folder = ownFolder();
  return folder === undefined || wasNoted(join(folder, `notice-${nameOf(owner)}`), ms);
}

function nameOf(owner: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 32);
}

/** A folder that only this user can write: names in the common one are guessed, and others could lie in wait there. */
function ownFolder(): string | undefined {
  const user = process.getuid?.();
  const folder = join(tmpdir(), `crewroom-${user ?? "agent"}`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const { uid, mode } = lstatSync(folder);
    const isOwn = user === undefined || (uid === user && (mode & 0o077) === 0);
    return isOwn && lstatSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

function wasNoted(file: string, ms: number): boolean {
  const now = Date.now();
  const last = modifiedAt(file);
  // A time to come is a clock that was set back.
  if (last !== undefined && last <= now && now - last < ms) return true;
  if (last === undefined) create(file, "");
  else utimesSync(file, now / 1_000, now / 1_000);
  return false;
}

function modifiedAt(file: string): number | undefined {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return undefined;
  }
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

/** Its run was killed: the process is gone, or has the number of another by now. */
function isAbandoned(lock: string): boolean {
  const since = modifiedAt(lock);
  if (since === undefined) return false;
  if (Math.abs(Date.now() - since) > LONGEST_RUN) return true;
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    if (owner > 0) process.kill(owner, 0);
    return false;
  } catch (error) {
    // Gone, or taken over meanwhile; then the next look tells.
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function readMarker(file: string): Marker {
  try {
    const { ack, shown_from, for_you_from } = JSON.parse(readFileSync(file, "utf8")) as Marker; // written above
    return {
      ...(typeof ack === "string" && { ack }),
      ...(typeof shown_from === "number" && { shown_from }),
      ...(typeof for_you_from === "number" && { for_you_from }),
    };
  } catch {
    return {};
  }
}
