import { z } from "zod";
import type { LogHead } from "../../core/event-log.ts";
import type { LoggedEvent } from "../../core/events.ts";
import type { Stretch } from "../../core/handovers.ts";
import { fitPage } from "../../core/limits.ts";
import type { Tx } from "../../store/store.ts";
import type { NewsQuery, Stand } from "./places.ts";
import { findShown, type ShownElsewhere } from "./queries.ts";
import { countAhead, MOST_COUNTED, type Scan, scanForward } from "./scan.ts";

/** What makes an event news to its reader: the marks are there when they are true. */
export const NEWS_MARKS = {
  for_you: z.literal(true).optional(),
  again: z.literal(true).optional(),
  already_shown: z.literal(true).optional(),
};
type Marks = { readonly [Mark in keyof typeof NEWS_MARKS]?: true };

/** What others did after a reader's place, as far as one answer carries it. */
export interface News<Item> {
  readonly from: number;
  /** What the answer covers: the own activity between and behind the items is passed over. */
  readonly upTo: number;
  readonly items: readonly (Item & Marks)[];
  /** What is left after it. */
  readonly ahead: readonly Stretch[];
  /** Stretches before it in which others did nothing. */
  readonly passed: readonly Stretch[];
  /** So much was passed over that it is worth moving the place even if there is nothing to show. */
  readonly far: boolean;
}

/** How many items, and how many bytes of them, an answer takes at most. */
export interface Size {
  readonly limit: number;
  readonly bytes: number;
}

/** Reads the news of a place: others' events only, oldest first. `write` makes items of events, one of each. */
export async function readNews<Item extends { readonly id: number }>(
  tx: Tx,
  stand: Stand,
  head: LogHead,
  { limit, bytes }: Size,
  write: (events: readonly LoggedEvent[]) => readonly Item[] | Promise<readonly Item[]>,
): Promise<News<Item>> {
  const passed: Stretch[] = [];
  const [stretch, scan] = await firstWithNews();
  const later = stand.open.slice(passed.length + 1);

  const shown = scan.events.length > 0 ? await findShown(tx, stand.key) : undefined;
  const written = scan.events.length > 0 ? await write(scan.events) : [];
  const items = written.map((item, index) => ({ ...item, ...marksOf(stand, scan.events[index], shown) }));
  const { page, hasMore } = fitPage(items, limit, bytes);
  const upTo = hasMore ? (page.at(-1)?.id ?? scan.upTo) : scan.upTo;
  const ahead = hasMore || !scan.ended ? [{ from: upTo, to: stretch.to }, ...later] : later;
  return { from: stretch.from, upTo, items: page, ahead, passed, far: scan.steps > 0 };

  async function firstWithNews(): Promise<[Stretch, Scan]> {
    for (const stretch of stand.open) {
      const scan = await scanForward(tx, { ...stand.news, ...boundsOf(stretch), limit: limit + 1 }, head.position);
      if (scan.events.length > 0 || !scan.ended || stretch.to === null) return [stretch, scan];
      passed.push(stretch);
    }
    throw new Error("The last stretch has no end.");
  }
}

function marksOf({ news, row }: Stand, event: LoggedEvent | undefined, shown: ShownElsewhere | undefined): Marks {
  if (!event) return {};
  const { position, concerns } = event;
  const { notBy: reader, member = reader } = news;
  return {
    ...((concerns.includes(reader) || concerns.includes(member)) && { for_you: true }),
    ...(position <= row.offered && { again: true }),
    ...(shown && position > shown.passed_over && position <= shown.position && { already_shown: true }),
  };
}

/** How much others did in these stretches, as far as it is counted. */
export async function countRemaining(tx: Tx, news: NewsQuery, stretches: readonly Stretch[]) {
  let count = 0;
  let capped = false;
  for (const stretch of stretches) {
    const ahead = await countAhead(tx, { ...news, ...boundsOf(stretch) });
    count += ahead.count;
    capped ||= ahead.capped;
  }
  return { remaining: Math.min(count, MOST_COUNTED), capped: capped || count > MOST_COUNTED };
}

/** Others' activity in some stretches. */
export interface Unread {
  /** At most `MOST_COUNTED`. */
  readonly count: number;
  /** Where to look next time; `looked` is false when not all of it was looked at, whatever the count. */
  readonly rest: readonly Stretch[];
  readonly looked: boolean;
}

/** Counts others' activity without reading it. */
export async function countNews(
  tx: Tx,
  news: NewsQuery,
  stretches: readonly Stretch[],
  head: LogHead,
): Promise<Unread> {
  let count = 0;
  const rest: Stretch[] = [];
  for (const stretch of stretches) {
    const scan = await scanForward(tx, { ...news, ...boundsOf(stretch), limit: 1 }, head.position);
    const [first] = scan.events;
    if (first)
      count += (await countAhead(tx, { ...news, ...boundsOf({ from: first.position - 1, to: stretch.to }) })).count;
    else if (!scan.ended) rest.push({ from: scan.upTo, to: stretch.to });
  }
  const looked = rest.length === 0;
  return { count: Math.min(count, MOST_COUNTED), rest: looked ? [{ from: head.position, to: null }] : rest, looked };
}

/** The stretch as an `EventQuery` has it. */
export function boundsOf({ from, to }: Stretch) {
  return to === null ? { after: from } : { after: from, before: to + 1 };
}
