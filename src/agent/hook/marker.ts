import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf, ownFolder, readIfThere, takeLock, wasNoted } from "../own-folder.ts";

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
    take: () => takeLock(lock, LONGEST_RUN),
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

function readMarker(file: string): Marker {
  try {
    const { ack, shown_from, for_you_from } = JSON.parse(readIfThere(file) ?? "{}") as Marker; // written above
    return {
      ...(typeof ack === "string" && { ack }),
      ...(typeof shown_from === "number" && { shown_from }),
      ...(typeof for_you_from === "number" && { for_you_from }),
    };
  } catch {
    return {};
  }
}
