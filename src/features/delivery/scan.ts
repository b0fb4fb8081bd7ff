import { countEvents, type EventQuery, listEvents, listNewestEvents } from "../../core/event-log.ts";
import type { LoggedEvent } from "../../core/events.ts";
import type { Tx } from "../../store/store.ts";
import { findStepEnd } from "./log-queries.ts";

/**
 * A filter can pass over any number of rows, and a page with nothing in it is not the end. So a call looks at the log in
 * steps of so many rows of the room, and takes at most so many steps: its work is bounded whatever the log holds. Most
 * pages are full within the first step, which is short.
 */
const FIRST_ROWS = 500;
const STEP_ROWS = 5_000;
const MOST_STEPS = 11;

/** More than this is not counted, and it is looked for among so many rows. */
export const MOST_COUNTED = 1_000;
const COUNTED_ROWS = 1_500;

/** What a call saw of the log. */
export interface Scan {
  readonly events: LoggedEvent[];
  /** Everything from the start to this position was looked at; itself included. */
  readonly upTo: number;
  /** False when there may be more that matches: the page is full, or the call has looked at enough. */
  readonly ended: boolean;
  /** Whole steps that were passed over. */
  readonly steps: number;
}

/** Events after `query.after`, oldest first. `head` is the log's last position. */
export async function scanForward(tx: Tx, query: EventQuery, head: number): Promise<Scan> {
  const events: LoggedEvent[] = [];
  let after = query.after ?? 0;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    // What concerns one task has an index of its own, and no step passes over anything there.
    const stepEnd =
      query.task === undefined ? await findStepEnd(tx, { ...query, after }, "forward", rowsOf(steps)) : undefined;
    const within = stepEnd === undefined ? {} : { before: stepEnd + 1 };
    events.push(...(await listEvents(tx, { ...query, ...within, after, limit: query.limit - events.length })));
    const last = events.at(-1);
    if (last && events.length >= query.limit) return { events, upTo: last.position, ended: false, steps };
    if (stepEnd === undefined)
      return { events, upTo: query.before === undefined ? head : query.before - 1, ended: true, steps };
    after = stepEnd;
  }
  return { events, upTo: after, ended: false, steps: MOST_STEPS };
}

/** The newest events before `query.before`, still oldest first. `upTo` is the oldest position that was looked at. */
export async function scanBackward(tx: Tx, query: EventQuery): Promise<Scan> {
  const events: LoggedEvent[] = [];
  let before = query.before;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const upper = before === undefined ? {} : { before };
    const stepEnd =
      query.task === undefined ? await findStepEnd(tx, { ...query, ...upper }, "backward", rowsOf(steps)) : undefined;
    const within = stepEnd === undefined ? {} : { after: stepEnd - 1 };
    events.unshift(
      ...(await listNewestEvents(tx, { ...query, ...upper, ...within, limit: query.limit - events.length })),
    );
    const oldest = events[0];
    if (oldest && events.length >= query.limit) return { events, upTo: oldest.position, ended: false, steps };
    if (stepEnd === undefined) return { events, upTo: (query.after ?? -1) + 1, ended: true, steps };
    before = stepEnd;
  }
  return { events, upTo: before ?? 0, ended: false, steps: MOST_STEPS };
}

function rowsOf(step: number) {
  return step === 0 ? FIRST_ROWS : STEP_ROWS;
}

/** How many events match, counted to `MOST_COUNTED` among the next rows; `capped` when there may be more. */
export async function countAhead(
  tx: Tx,
  query: Omit<EventQuery, "limit">,
): Promise<{ count: number; capped: boolean }> {
  const stepEnd = await findStepEnd(tx, query, "forward", COUNTED_ROWS);
  const within = stepEnd === undefined ? {} : { before: stepEnd + 1 };
  const count = await countEvents(tx, { ...query, ...within, limit: MOST_COUNTED + 1 });
  return { count: Math.min(count, MOST_COUNTED), capped: count > MOST_COUNTED || stepEnd !== undefined };
}
