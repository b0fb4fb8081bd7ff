import type { Mode } from "./settings.ts";

/** Something that happened, in words of the hub: numbers, kinds, handles. */
export interface Notice {
  /** As `m12`, `#7 task_claimed`, `q3 question_asked`. */
  readonly what: string;
  readonly by: string;
  readonly forAgent: boolean;
  /** The event's place in the log. */
  readonly id: number;
}

/** A line that is due, and what it tells of. */
export interface Due {
  readonly line: string;
  readonly notices: readonly Notice[];
}

export interface LineSettings {
  readonly room: string;
  readonly mode: Mode;
  /** Between two lines about what is not for the agent, in ms. */
  readonly minInterval: number;
  readonly mentionsFirst: boolean;
}

/** The client stops a watch that prints much: what is for the agent is at most so often (ms) a line of its own. */
const MENTION_GAP = 5_000;
/** What the hub lets wake nobody now is asked for again after so long (ms), or with what comes next. */
const PAUSE = 60_000;
/** Of what waits through a pause so much is kept; the newest. */
const MOST_KEPT = 200;
/** In characters. */
const LONGEST_LINE = 200;

/** What waits to be told, and when. It holds no text that others wrote, so that a line cannot be forged. */
export function openLines(print: (due: Due) => void) {
  let waiting: Notice[] = [];
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let printedAt = Number.NEGATIVE_INFINITY;
  let mentionedAt = Number.NEGATIVE_INFINITY;

  return {
    /** What waits was read by another way. */
    forget() {
      waiting = [];
    },
    take(notice: Notice, { mode }: LineSettings) {
      if (mode !== "all" && !(mode === "mentions" && notice.forAgent)) return;
      waiting.push(notice);
      pausedUntil = Number.NEGATIVE_INFINITY;
    },
    /** These were not told: they wait for a better time. */
    putBack(notices: readonly Notice[], now: number) {
      waiting = [...notices, ...waiting].slice(-MOST_KEPT);
      pausedUntil = now + PAUSE;
    },
    /** Prints what is due. `now` is a monotonic clock in ms. */
    tell({ room, mode, minInterval, mentionsFirst }: LineSettings, now: number) {
      if (mode === "hook-only") waiting = [];
      if (waiting.length === 0 || now < pausedUntil) return;
      const isForAgent = waiting.some(({ forAgent }) => forAgent);
      const isFirst = isForAgent && mentionsFirst && now - mentionedAt >= Math.min(MENTION_GAP, minInterval);
      if (!isFirst && now - printedAt < minInterval) return;
      const due = { line: writeLine(room, waiting), notices: waiting };
      waiting = [];
      printedAt = now;
      if (isForAgent) mentionedAt = now;
      print(due);
    },
  };
}

/** One line: how much, and by name what fits, what is for the agent first, then the newest. */
export function writeLine(room: string, notices: readonly Notice[]): string {
  const forAgent = notices.filter((notice) => notice.forAgent);
  const rest = notices.filter((notice) => !notice.forAgent);
  const count = forAgent.length > 0 ? `${notices.length} new, ${forAgent.length} for you` : `${notices.length} new`;
  const head = `[crewroom] ${room}: ${count}`;
  const tail = "; whats_new has them";
  let named = "";
  for (const { what, by } of [...forAgent.toReversed(), ...rest.toReversed()]) {
    const next = `${named === "" ? "" : `${named}, `}${what} by ${by}`;
    if (`${head} (${next}, …)${tail}`.length > LONGEST_LINE)
      return `${head}${named === "" ? "" : ` (${named}, …)`}${tail}`;
    named = next;
  }
  return `${head} (${named})${tail}`;
}
