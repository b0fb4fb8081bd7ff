import type { Mode } from "./settings.ts";

/** Something that happened, in words of the hub: numbers, kinds, handles. */
export interface Notice {
  /** As `m12`, `#7 task_claimed`, `q3 question_asked`. */
  readonly what: string;
  readonly by: string;
  readonly forAgent: boolean;
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
/** In characters. */
const LONGEST_LINE = 200;

/** What waits to be told, and when. It holds no text that others wrote, so that a line cannot be forged. */
export function openLines(print: (line: string) => void) {
  let waiting: Notice[] = [];
  let printedAt = Number.NEGATIVE_INFINITY;
  let mentionedAt = Number.NEGATIVE_INFINITY;

  return {
    /** What waits was read by another way. */
    forget() {
      waiting = [];
    },
    take(notice: Notice, { mode }: LineSettings) {
      if (mode === "all" || (mode === "mentions" && notice.forAgent)) waiting.push(notice);
    },
    /** Prints what is due. `now` is a monotonic clock in ms. */
    tell({ room, mode, minInterval, mentionsFirst }: LineSettings, now: number) {
      if (mode === "hook-only") waiting = [];
      if (waiting.length === 0) return;
      const isForAgent = waiting.some(({ forAgent }) => forAgent);
      const isFirst = isForAgent && mentionsFirst && now - mentionedAt >= Math.min(MENTION_GAP, minInterval);
      if (!isFirst && now - printedAt < minInterval) return;
      print(writeLine(room, waiting));
      waiting = [];
      printedAt = now;
      if (isForAgent) mentionedAt = now;
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
