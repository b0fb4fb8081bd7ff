import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, nameOf, ownFolder, readIfThere, takeLock } from "./own-folder.ts";

/**
 * How the programs of one session of a client find each other: the bridge, the hook and the monitor are its children, and
 * its session's id changes (`/clear`) while bridge and monitor keep the one they were started with. No text that others
 * wrote and no secret is in these files.
 */
export interface SessionFiles {
  /** The bridge of the session; false while another one has it. */
  takeLock(): boolean;
  release(): void;
  /** What a living bridge says; undefined when there is none. */
  readSignal(): Signal | undefined;
  writeSignal(signal: Signal): void;
  readNote(): Note;
  writeNote(note: Note): void;
  forgetNote(): void;
}

/** What the bridge says to hook and monitor. */
export interface Signal {
  /** The bridge's process. */
  readonly pid: number;
  /** Whether the hub could be reached last. */
  readonly hub: "here" | "away";
  /** The log's place behind the newest thing that others did; "" when nothing came since the bridge began. */
  readonly news: string;
  /** A line that is to wake the agent, and its number, which rises. */
  readonly line: { readonly number: number; readonly text: string } | null;
}

/** What the hook says to the bridge: what the session is called now, what it did last, and up to where it has shown the news. */
export interface Note {
  readonly session?: string;
  readonly occasion?: string;
  /** Like `Signal.news`. */
  readonly seen?: string;
  /** When it was written, in ms since 1970. */
  readonly at?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The client's process, as all its children know it: its inbox has its name, and where it has none there is its number. */
export function clientOf(environment: Environment, parent?: number): string | undefined {
  const inbox = environment["CLAUDE_CODE_MESSAGING_SOCKET"];
  const id = environment["CLAUDE_PID"] ?? parent?.toString();
  return inbox || (id === undefined ? undefined : `process ${id}`);
}

/** A signal so old (ms) is of a bridge that does not live, whatever its process number says. */
const SIGNAL_LIVES = 60_000;

/**
 * @param client  see `clientOf`.
 * @param owner   whose news these are: the hub's address, the token, the room.
 * @returns undefined where there is no folder of our own.
 */
export function openSessionFiles(client: string, owner: readonly (string | undefined)[]): SessionFiles | undefined {
  const folder = ownFolder();
  if (folder === undefined) return undefined;
  const base = join(folder, `${prefixOf(client)}${nameOf(owner)}`);
  return {
    takeLock: () => takeLock(`${base}.lock`),
    release() {
      for (const ending of ["lock", "signal", "note"]) rmSync(`${base}.${ending}`, { force: true });
    },
    readSignal: () => readSignal(`${base}.signal`),
    writeSignal: (signal) => writeWhole(`${base}.signal`, signal),
    readNote: () => parse(readIfThere(`${base}.note`)) ?? {}, // written below
    writeNote: (note) => writeWhole(`${base}.note`, note),
    forgetNote: () => rmSync(`${base}.note`, { force: true }),
  };
}

/** What a monitor of a client finds: the lines of all its bridges, and what was told already. */
export interface MonitorFiles {
  takeLock(): boolean;
  release(): void;
  lines(): readonly NonNullable<Signal["line"]>[];
  /** The number of the newest line that was told; 0 for none. */
  told(): number;
  tell(number: number): void;
  /** Whether a monitor lives. */
  isWatched(): boolean;
}

export function openMonitorFiles(client: string): MonitorFiles | undefined {
  const folder = ownFolder();
  if (folder === undefined) return undefined;
  const prefix = prefixOf(client);
  const lock = join(folder, `${prefix}monitor.lock`);
  const told = join(folder, `${prefix}monitor.told`);
  return {
    takeLock: () => takeLock(lock),
    release() {
      for (const file of [lock, told]) rmSync(file, { force: true });
    },
    lines: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith(prefix) && name.endsWith(".signal"))
        .flatMap((name) => readSignal(join(folder, name))?.line ?? [])
        .toSorted((a, b) => a.number - b.number),
    told: () => Number(readIfThere(told) ?? 0) || 0,
    tell: (number) => writeWhole(told, number),
    isWatched() {
      const owner = Number(readIfThere(lock));
      return owner > 0 && isAlive(owner);
    },
  };
}

function prefixOf(client: string): string {
  return `bridge-${nameOf([client]).slice(0, 16)}-`;
}

function readSignal(file: string): Signal | undefined {
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (Math.abs(age) > SIGNAL_LIVES) return undefined;
  const signal = parse(readIfThere(file)) as Signal | undefined; // written by a bridge of ours; its process is looked at
  return signal && typeof signal.pid === "number" && isAlive(signal.pid) ? signal : undefined;
}

function parse(text: string | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whoever reads it meets the old text or the new one. A disk that is full keeps the old one. */
function writeWhole(file: string, value: unknown): void {
  const scratch = `${file}.${process.pid}`;
  try {
    writeFileSync(scratch, JSON.stringify(value), { mode: 0o600 });
    renameSync(scratch, file);
  } catch {
    rmSync(scratch, { force: true });
  }
}
