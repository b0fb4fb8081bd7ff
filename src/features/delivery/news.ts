import { z } from "zod";
import type { LogHead } from "../../core/event-log.ts";
import type { RoomContext } from "../../core/operation.ts";
import type { Stretch } from "../../core/handovers.ts";
import { fitPage } from "../../core/limits.ts";
import { event, toEventAnswer } from "./event-answer.ts";
import type { Stand } from "./places.ts";
import { findShownUpTo } from "./queries.ts";
import { countAhead, MOST_COUNTED, type Scan, scanForward } from "./scan.ts";

/** An event as news: the marks are there when they are true. */
export const newsItem = event.extend({
  for_you: z.literal(true).optional(),
  again: z.literal(true).optional(),
  already_shown: z.literal(true).optional(),
});

/** What others did in a room after a reader's place, as far as one answer carries it. */
export interface News {
  readonly from: number;
  /** What the answer covers: the own activity between and behind the events is passed over. */
  readonly upTo: number;
  readonly events: readonly z.input<typeof newsItem>[];
  /** What is left after it. */
  readonly ahead: readonly Stretch[];
  /** Stretches before it in which others did nothing. */
  readonly passed: readonly Stretch[];
  /** So much was passed over that it is worth moving the place even if there is nothing to show. */
  readonly far: boolean;
}

/** Reads the news of a place: others' events only, oldest first, `limit` and `bytes` of them at most. */
export async function readNews(
  context: RoomContext,
  stand: Stand,
  head: LogHead,
  { limit, bytes }: { limit: number; bytes: number },
): Promise<News> {
  const { tx, caller, room } = context;
  const query = { organization: caller.organization, room: room.id, notBy: caller.handle };
  const passed: Stretch[] = [];
  const [stretch, scan] = await firstWithNews();
  const later = stand.open.slice(passed.length + 1);

  const shownUpTo = scan.events.length > 0 ? await findShownUpTo(tx, stand.key) : 0;
  const items = scan.events.map((logged) => ({
    ...toEventAnswer(logged, caller.handle),
    ...(logged.concerns.includes(caller.handle) && { for_you: true as const }),
    ...(logged.position <= stand.row.offered && { again: true as const }),
    ...(logged.position <= shownUpTo && { already_shown: true as const }),
  }));
  const { page, hasMore } = fitPage(items, limit, bytes);
  const upTo = hasMore ? (page.at(-1)?.id ?? scan.upTo) : scan.upTo;
  const ahead = hasMore || !scan.ended ? [{ from: upTo, to: stretch.to }, ...later] : later;
  return { from: stretch.from, upTo, events: page, ahead, passed, far: scan.steps > 0 };

  async function firstWithNews(): Promise<[Stretch, Scan]> {
    for (const stretch of stand.open) {
      const scan = await scanForward(tx, { ...query, ...boundsOf(stretch), limit: limit + 1 }, head.position);
      if (scan.events.length > 0 || !scan.ended || stretch.to === null) return [stretch, scan];
      passed.push(stretch);
    }
    throw new Error("The last stretch has no end.");
  }
}

/** How much others did in these stretches, as far as it is counted. */
export async function countRemaining({ tx, caller, room }: RoomContext, stretches: readonly Stretch[]) {
  const query = { organization: caller.organization, room: room.id, notBy: caller.handle };
  let count = 0;
  let capped = false;
  for (const stretch of stretches) {
    const ahead = await countAhead(tx, { ...query, ...boundsOf(stretch) });
    count += ahead.count;
    capped ||= ahead.capped;
  }
  return { remaining: Math.min(count, MOST_COUNTED), remaining_capped: capped || count > MOST_COUNTED };
}

/** Others' activity in these stretches. */
export interface Unread {
  /** At most `MOST_COUNTED`. */
  readonly count: number;
  /** Where to look next time; `looked` is false when not all of it was looked at, whatever the count. */
  readonly rest: readonly Stretch[];
  readonly looked: boolean;
}

/** Counts others' activity without reading it. */
export async function countNews(
  { tx, caller, room }: Pick<RoomContext, "tx" | "caller" | "room">,
  stretches: readonly Stretch[],
  head: LogHead,
): Promise<Unread> {
  const query = { organization: caller.organization, room: room.id, notBy: caller.handle };
  let count = 0;
  const rest: Stretch[] = [];
  for (const stretch of stretches) {
    const scan = await scanForward(tx, { ...query, ...boundsOf(stretch), limit: 1 }, head.position);
    const [first] = scan.events;
    if (first)
      count += (await countAhead(tx, { ...query, ...boundsOf({ from: first.position - 1, to: stretch.to }) })).count;
    else if (!scan.ended) rest.push({ from: scan.upTo, to: stretch.to });
  }
  const looked = rest.length === 0;
  return { count: Math.min(count, MOST_COUNTED), rest: looked ? [{ from: head.position, to: null }] : rest, looked };
}

function boundsOf({ from, to }: Stretch) {
  return to === null ? { after: from } : { after: from, before: to + 1 };
}
