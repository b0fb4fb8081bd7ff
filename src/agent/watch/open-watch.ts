import type { StreamFrame } from "../../client/event-stream.ts";
import { type Connection, reach } from "../../client/hub-client.ts";
import { type Followed, type Follower, followForEver } from "./follow.ts";
import type { LineSettings } from "./lines.ts";
import { namesMatcher } from "./names.ts";
import { openNotices } from "./notice.ts";
import { openOutage } from "./outage.ts";
import type { Mode, WatchSettings } from "./settings.ts";
import type { StateFiles } from "./state.ts";
import { openWakingLines } from "./waking.ts";

/** Whom the one who watches tells. */
export interface Voices {
  /** One line for the client, which wakes its agent. */
  readonly print: (line: string) => void;
  readonly say: (line: string) => unknown;
  /** Something happened that the agent did not do itself; whatever the mode, and before any line about it. */
  readonly noticed?: (frame: StreamFrame) => void;
  /** Whether the hub could be reached by the last proof of presence. */
  readonly reached?: (isThere: boolean) => void;
}

/** How it watches: by which path and as which session, and in which mode unless another is set for running ones. */
export interface Watching {
  readonly path: "watch" | "bridge";
  readonly mode: Mode | undefined;
  /** The session that is proven to be reached; asked for each time, as it may change. */
  readonly session: () => string | undefined;
}

/** A watch under way. */
export interface Watch {
  /** To be called every second: what depends on the time. */
  tick(): void;
  /** Never resolves. */
  follow(): Promise<void>;
  /** Forgets what waits to be told: the agent has read it. */
  forget(): void;
}

/** How often (ms) it says that it lives, to the hub and in its file. */
const BEAT = 20_000;

/** Follows the hub's stream, gives lines about what is new, and proves to the hub that it lives. */
export function openWatch(settings: WatchSettings, files: StateFiles, voices: Voices, watching: Watching): Watch {
  const { print, say } = voices;
  const { path, session } = watching;
  const connection: Connection = { ...settings, path };
  const lines = openWakingLines(() => ({ ...connection, session: session() }), settings.room, { print, say });
  const outage = openOutage(print);
  let followed: Followed = { handle: "", owner: undefined, room: settings.room ?? "-" };
  let beatAt = Number.NEGATIVE_INFINITY;
  const live = (): LineSettings => {
    const mode = files.read().mode ?? watching.mode ?? settings.mode;
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
    void prove({ ...connection, session: session() }, path).then(voices.reached);
  }

  const follower: Follower = {
    began: (one) => void (followed = one),
    brought(frame) {
      const notice = noticeOf(frame);
      if (!notice) return lines.tell(live(), performance.now());
      voices.noticed?.(frame);
      lines.take(notice, live());
      lines.tell(live(), performance.now());
    },
    opened() {
      outage.back(followed.room);
      voices.reached?.(true);
      say(`follows ${followed.room} as ${followed.handle}`);
    },
    lost(why) {
      outage.lost(performance.now());
      // Whether the hub is away altogether is found out at once: a stream may be cut while everything else works.
      beatAt = Number.NEGATIVE_INFINITY;
      say(why);
    },
    refused: (code) => print(refusalLine(followed.room, code)),
  };
  return { tick, follow: () => followForEver(connection, settings.room, follower), forget: lines.forget };
}

/** Why nothing wakes the agent any more. */
function refusalLine(room: string, code: string): string {
  if (code === "epoch_changed") return `[crewroom] ${room}: the hub was restored; whats_new tells what is there now`;
  if (code === "cursor_expired") return `[crewroom] ${room}: some of what was missed is no longer kept; see whats_new`;
  return `[crewroom] ${room}: the hub refuses this watcher (${code}); until that is mended nothing wakes this session`;
}

/** How long (ms) an answer may take before the hub counts as away. */
const PATIENCE = 5_000;

/** Says that this path lives. Gives whether something answered; the next beat says it as well. */
async function prove(connection: Connection, path: string): Promise<boolean> {
  try {
    const response = await reach(connection, "/v1/presence", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ path }),
      signal: AbortSignal.timeout(PATIENCE),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
