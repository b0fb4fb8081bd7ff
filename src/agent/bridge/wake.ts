import type { MonitorFiles, Note, SessionFiles, Signal } from "../session-files.ts";

/** How the session is woken, seen from the bridge. Times are of a monotonic clock in ms. */
export interface Wake {
  /** Others did something; `place` is the log's place behind it. */
  noticed(place: string): void;
  /** Whether the hub could be reached last. */
  reached(isThere: boolean): void;
  /** A line is due. */
  print(text: string): void;
  /** What depends on the time: to be called every second. */
  tick(now: number): void;
}

export interface WakeParts {
  readonly files: Pick<SessionFiles, "readNote" | "writeSignal">;
  readonly monitor: Pick<MonitorFiles, "told" | "isWatched">;
  /** Puts a line into the session's inbox; undefined where the client has none. */
  readonly nudge: ((text: string) => void) | undefined;
  /** The agent has read what there is: nothing has to be told any more. */
  readonly caughtUp: () => void;
  /** The clock's time at the start. */
  readonly started: number;
}

/** A session at work meets its next tool's end within so long (ms), mostly: the hook brings the news there without a line. */
const AT_WORK = 5_000;
/** A session that was last heard of so long (ms) ago may have been interrupted, of which no hook is told. */
const WORK_IS_BELIEVED = 600_000;
/** A client starts its monitor some seconds after the bridge (measured: 3 s). */
const MONITOR_STARTS = 8_000;
/** A line that no monitor has told after so long (ms), or that brought no hook after that long, goes into the inbox. */
const UNTOLD = 3_000;
const UNHEARD = 10_000;

/** What was given out and has not yet brought a sign of life. `at` is of the monotonic clock. */
interface Line {
  readonly number: number;
  readonly text: string;
  readonly at: number;
}

/** Hands a line to the monitor, and to the session's inbox when that wakes nobody. Each line once by either. */
export function openWake({ files, caughtUp, ...parts }: WakeParts): Wake {
  let held: { readonly text: string; readonly at: number } | undefined;
  let now = parts.started;
  const signal = openSignal(files);
  const given = openGivenLine(signal, parts);

  function letGo() {
    if (held) given.give(held.text, now);
    held = undefined;
  }

  return {
    noticed: (place) => signal.change({ news: place }),
    // Again when nothing changed: it shows that the bridge lives.
    reached: (isThere) => signal.change({ hub: isThere ? "here" : "away" }),
    print(text) {
      held = { text, at: now };
      if (!isAtWork(files.readNote())) letGo();
    },
    tick(time) {
      now = time;
      const note = files.readNote();
      const { news } = signal.read();
      if (news !== "" && note.seen === news) {
        held = undefined;
        caughtUp();
      }
      if (held && (!isAtWork(note) || now - held.at >= AT_WORK)) letGo();
      given.seeTo(note, now);
    },
  };
}

function openSignal(files: WakeParts["files"]) {
  let signal: Signal = { pid: process.pid, hub: "here", news: "", line: null };
  return {
    read: () => signal,
    change(part: Partial<Signal>) {
      signal = { ...signal, ...part };
      files.writeSignal(signal);
    },
  };
}

function openGivenLine(
  signal: ReturnType<typeof openSignal>,
  { monitor, nudge, started }: Pick<WakeParts, "monitor" | "nudge" | "started">,
) {
  let line: Line | undefined;

  /** Whether the monitor may still bring it. */
  function isEarly({ at }: Line, isTold: boolean, now: number): boolean {
    if (isTold) return now - at < UNHEARD;
    return monitor.isWatched() ? now - at < UNTOLD : now - started < MONITOR_STARTS;
  }

  return {
    give(text: string, at: number) {
      // Numbers go on rising over a restart of the bridge: what was told before is told no more.
      const number = Math.max(monitor.told() + 1, (line?.number ?? 0) + 1, Date.now());
      line = { number, text, at };
      signal.change({ line: { number, text } });
    },
    seeTo(note: Note, now: number) {
      if (!line) return;
      const isTold = monitor.told() >= line.number;
      if (isTold && isHeard(note, line)) line = undefined;
      if (!line || !nudge || isAtWork(note) || isEarly(line, isTold, now)) return;
      nudge(line.text);
      line = undefined;
      signal.change({ line: null });
    },
  };
}

function isAtWork({ occasion, at = 0 }: Note): boolean {
  return (occasion === "prompt" || occasion === "step") && Math.abs(Date.now() - at) < WORK_IS_BELIEVED;
}

/** Whether the hook has run since the line was given out. */
function isHeard({ at = 0 }: Note, { number }: Line): boolean {
  return at >= number;
}
