import { setTimeout as pause } from "node:timers/promises";
import { isAlive } from "../own-folder.ts";
import { openWatch } from "./open-watch.ts";
import { runOnce, type WatchArguments } from "./run-once.ts";
import { readWatchSettings } from "./settings.ts";
import { openState } from "./state.ts";

/** What the watcher is run with. */
export interface WatchParts {
  readonly args: WatchArguments;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** One line for the client, which wakes its agent. */
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly version: string;
  /** SHA-256 of this program, as the hub tells it of what it serves. */
  readonly digest: () => string;
}

/** How often (ms) it looks at the clock, its files and its parent. */
const TICK = 1_000;

/**
 * Holds the hub's stream beside a session and prints a line when something is new: the client wakes its agent with it. Ends
 * when its parent is gone and never before, as its client would take that for news.
 *
 * @returns the exit code: 0, or 2 when it cannot be started that way.
 */
export async function runWatch({ args, print, note, environment, ...parts }: WatchParts): Promise<number> {
  const settings = readWatchSettings(environment);
  const once = runOnce(settings, args, parts);
  if (once) {
    note(once.says);
    return once.exit;
  }
  const files = openState(settings);
  const parent = process.ppid;
  const isOrphan = () => process.ppid !== parent || !isAlive(parent);
  const say = (line: string) => settings.debug && note(`crewroom watch: ${line}`);
  while (!files.takeLock()) {
    say("another one runs for this session; silent until it is gone");
    if (isOrphan()) return 0;
    await pause(TICK);
  }
  const watching = { path: "watch", mode: args.mode, session: () => settings.session } as const;
  const watch = openWatch(settings, files, { print, say }, watching);
  const clock = setInterval(watch.tick, TICK);
  watch.tick();
  void watch.follow();
  while (!isOrphan()) await pause(TICK);
  clearInterval(clock);
  return 0;
}
