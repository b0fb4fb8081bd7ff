import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf, ownFolder, readIfThere, takeLock } from "../own-folder.ts";
import { type Mode, readMode, readNames, type WatchSettings } from "./settings.ts";

/** What was set for a running watcher; it goes before what it was started with. */
export interface WatchState {
  readonly mode?: Mode;
  readonly names?: readonly string[];
}

/** The watcher's files, by hub, token and room; the lock by session too. */
export interface StateFiles {
  read(): WatchState;
  write(state: WatchState): void;
  /** False while another watcher of the session runs. */
  takeLock(): boolean;
  /** Says that the watcher lives. */
  beat(): void;
}

/** @throws Error when there is no folder of our own among the temporary ones. */
export function openState({ url, token, room, session }: WatchSettings): StateFiles {
  const folder = ownFolder();
  if (folder === undefined) throw new Error("There is no folder of our own among the temporary ones.");
  const file = join(folder, `watch-${nameOf([url, token, room])}`);
  const ofSession = join(folder, `watch-${nameOf([url, token, room, session])}`);
  return {
    read: () => parse(readIfThere(file) ?? ""),
    write({ mode, names }) {
      const lines = [
        ...(mode === undefined ? [] : [`mode=${mode}`]),
        ...(names ? [`mentions=${names.join(",")}`] : []),
      ];
      const scratch = `${file}.${process.pid}`;
      writeFileSync(scratch, `${lines.join("\n")}\n`, { mode: 0o600 });
      renameSync(scratch, file);
    },
    takeLock: () => takeLock(`${ofSession}.lock`),
    beat() {
      try {
        writeFileSync(`${ofSession}.heartbeat`, new Date().toISOString(), { mode: 0o600 });
      } catch {
        // Whoever looks for it sees that it is old; the hub is told as well.
      }
    },
  };
}

function parse(text: string): WatchState {
  const lines = new Map(
    text.split("\n").map((line) => [line.split("=", 1)[0] ?? "", line.slice(line.indexOf("=") + 1)]),
  );
  const mode = readMode(lines.get("mode") ?? "");
  const names = lines.get("mentions");
  return { ...(mode && { mode }), ...(names !== undefined && names !== "" && { names: readNames(names) }) };
}
