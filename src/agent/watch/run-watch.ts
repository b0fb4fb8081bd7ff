import { setTimeout as pause } from "node:timers/promises";
import { type Connection, reach } from "../../client/hub-client.ts";
import { isAlive } from "../own-folder.ts";
import { type Followed, type Follower, followForEver } from "./follow.ts";
import { type LineSettings, openLines } from "./lines.ts";
import { namesMatcher } from "./names.ts";
import { openNotices } from "./notice.ts";
import { openOutage } from "./outage.ts";
import { runOnce, type WatchArguments } from "./run-once.ts";
import { readWatchSettings, type WatchSettings } from "./settings.ts";
import { openState, type StateFiles } from "./state.ts";

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

interface Voices {
  /** One line for the client, which wakes its agent. */
  readonly print: (line: string) => void;
  readonly say: (line: string) => unknown;
}

/** How often (ms) it looks at the clock, its files and its parent. */
const TICK = 1_000;
/** How often (ms) it says that it lives, to the hub and in its file. */
const BEAT = 20_000;

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
  const watch = openWatch(settings, args, files, { print, say });
  const clock = setInterval(watch.tick, TICK);
  watch.tick();
  void watch.follow();
  while (!isOrphan()) await pause(TICK);
  clearInterval(clock);
  return 0;
}

function openWatch(settings: WatchSettings, args: WatchArguments, files: StateFiles, { print, say }: Voices) {
  const connection: Connection = { ...settings, path: "watch" };
  const lines = openLines(print);
  const outage = openOutage(print);
  let followed: Followed = { handle: "", owner: undefined, room: settings.room ?? "-" };
  let beatAt = Number.NEGATIVE_INFINITY;
  const live = (): LineSettings => {
    const mode = files.read().mode ?? args.mode ?? settings.mode;
    return { ...settings, mode, room: followed.room };
  };
  const noticeOf = openNotices(() => {
    const { handle, owner } = followed;
    const names = files.read().names ?? settings.names;
    return { owner, isNamed: namesMatcher(handle, { ...settings, names }) };
  });

  function tick() {
    lines.tell(live(), performance.now());
    outage.tell(followed.room, performance.now());
    if (performance.now() - beatAt < BEAT) return;
    beatAt = performance.now();
    files.beat();
    void prove(connection);
  }

  const follower: Follower = {
    began: (one) => void (followed = one),
    brought(frame) {
      const notice = noticeOf(frame);
      if (notice) lines.take(notice, live());
      lines.tell(live(), performance.now());
    },
    opened() {
      outage.back(followed.room);
      say(`follows ${followed.room} as ${followed.handle}`);
    },
    lost(why) {
      outage.lost(performance.now());
      say(why);
    },
    refused: (code) => print(refusalLine(followed.room, code)),
  };
  return { tick, follow: () => followForEver(connection, settings.room, follower) };
}

/** Why nothing wakes the agent any more. */
function refusalLine(room: string, code: string): string {
  if (code === "epoch_changed") return `[crewroom] ${room}: the hub was restored; whats_new tells what is there now`;
  return `[crewroom] ${room}: the hub refuses this watcher (${code}); until that is mended nothing wakes this session`;
}

async function prove(connection: Connection) {
  const headers = { "content-type": "application/json" };
  const said = reach(connection, "/v1/presence", { method: "POST", headers, body: JSON.stringify({ path: "watch" }) });
  // The next beat says it as well; that the hub is away is told by the stream.
  await said.then((response) => response.body?.cancel()).catch(() => undefined);
}
