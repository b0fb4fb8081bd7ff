import { fail } from "../../core/errors.ts";
import { type EventQuery, type LogHead, positionOf } from "../../core/event-log.ts";
import type { AfterAnswer, Caller, HandoverContext, LookContext, RoomRef } from "../../core/operation.ts";
import type { Handout, Stretch } from "../../core/handovers.ts";
import type { Tx } from "../../store/store.ts";
import { findPrunedTo, readableFrom } from "../rooms/pruning-queries.ts";
import { dropOldestPlaces } from "./place-queries.ts";
import { recordQuestionHandovers } from "./question-queries.ts";
import { findPlace, markWelcomed, movePlace, offer, type PlaceKey, type PlaceRow, recordHandovers } from "./queries.ts";
import { scanForward } from "./scan.ts";

/** A handover that nobody confirmed or gave up after this long (ms) is taken as lost. */
const LOST_AFTER_MS = 60_000;

const NEVER_SEEN: PlaceRow = { position: 0, offered: 0, offered_by: "", offered_at: 0, welcomed_at: null };

/** Where news come from, by a path: a room, or a person's questions. Each has a place of its own. */
export interface Followed {
  readonly key: PlaceKey;
  /** What is news there. */
  readonly news: NewsQuery;
}
export interface NewsQuery extends Omit<EventQuery, "after" | "before" | "limit"> {
  readonly notBy: string;
}

/** Where a reader stands in what it follows. */
export interface Stand extends Followed {
  readonly row: PlaceRow;
  /** Confirmed up to here: as kept, as written out since, or as acknowledged with this call. */
  readonly position: number;
  /** What may be handed out now, in order; the last stretch has no end. */
  readonly open: readonly Stretch[];
  /** What another process has under way. */
  readonly elsewhere: Handout | undefined;
}

export function followRoom(caller: Caller, room: RoomRef, path: string): Followed {
  const { organization, handle } = caller;
  return { key: placeOf(caller, room.id, path), news: { organization, room: room.id, notBy: handle } };
}

/** The questions of the person that the caller acts for; undefined when it acts for none. */
export function followQuestions(caller: Caller, path: string): Followed | undefined {
  const { organization, handle, person } = caller;
  if (person === undefined) return undefined;
  return { key: placeOf(caller, ME, path), news: { organization, room: null, member: person, notBy: handle } };
}

/** Stands for the reader's own questions where a place has a room. */
const ME = 0;

function placeOf({ organization, credential, session }: Caller, room: number, path: string): PlaceKey {
  return { organization, credential, session, path, room };
}

/**
 * Where the reader stands. `ack`: the cursor it acknowledges with this call.
 *
 * @throws HubError `unknown_cursor` for an acknowledgement of what was never offered; those of `positionOf` and `readableFrom`.
 */
export async function whereStands(
  { tx, settings, handovers }: Pick<LookContext, "tx" | "settings" | "handovers">,
  { key, news }: Followed,
  head: LogHead,
  ack?: string | number,
): Promise<Stand> {
  const row = (await findPlace(tx, key)) ?? NEVER_SEEN;
  const name = nameOf(key);
  const readable = (position: number) => startIn(tx, news, head, position);
  const acknowledged = ack === undefined ? undefined : positionOf(head, ack);
  if (acknowledged !== undefined) {
    await refuseNeverOffered(tx, news, { offered: row.offered, acknowledged });
    handovers.acknowledge(name, acknowledged);
    const position = await readable(Math.max(row.position, acknowledged));
    // Its next acknowledgement stands for all before it, so nothing may be passed over as being under way.
    return { key, news, row, position, open: [{ from: position, to: null }], elsewhere: undefined };
  }
  const written = handovers.writtenUpTo(name, row.position, true);
  const position = await readable(written);
  const until = row.offered_at + settings.otherNodesMs;
  const underWay = row.offered > row.position && row.offered_by !== settings.node && until > tx.now;
  const elsewhere = underWay ? { from: row.position, to: row.offered, until } : undefined;
  return { key, news, row, position, open: handovers.open(name, position, tx.now, elsewhere), elsewhere };
}

/** Questions are for ever; of a room's log the oldest may be gone. */
export async function startIn(
  tx: Tx,
  { organization, room }: NewsQuery,
  head: LogHead,
  position: number,
): Promise<number> {
  return room === null ? position : readableFrom(tx, { organization, room }, head, position);
}

/** An answer without news offers nothing, and its cursor is as good as any: only what others did may not be passed over. */
async function refuseNeverOffered(
  tx: Tx,
  news: NewsQuery,
  { offered, acknowledged }: { offered: number; acknowledged: number },
) {
  if (acknowledged <= offered) return;
  // What was pruned can be offered no more, so whoever was told so may acknowledge up to there.
  const pruned = news.room === null ? 0 : await findPrunedTo(tx, { organization: news.organization, room: news.room });
  const between = { ...news, after: Math.max(offered, pruned), before: acknowledged + 1, limit: 1 };
  const { events } = await scanForward(tx, between, acknowledged);
  if (events.length > 0) throw fail("unknown_cursor", { problem: "is ahead of what was offered here" });
}

/** What an answer hands out: `passed` are stretches in which there was nothing to hand out. */
export interface Offering {
  readonly from: number;
  readonly upTo: number;
  readonly passed: readonly Stretch[];
  readonly byAck: boolean;
  readonly welcome: boolean;
}

/** Notes an offering, and confirms it once the answer was written out whole (with `byAck`: once it is acknowledged). */
export async function handOut(context: HandoverContext, stand: Stand, offering: Offering): Promise<void> {
  const { tx, caller, room, settings, handovers, whenSettled } = context;
  const { key, row, position, elsewhere } = stand;
  const { from, upTo, passed, byAck, welcome } = offering;
  const noted = await offer(tx, key, { position, offered: Math.max(row.offered, upTo), node: settings.node });
  // Deleted after the call was let in.
  if (!noted) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
  if (row === NEVER_SEEN) await dropOldestPlaces(tx, key);
  if (position > row.position) await writeReceipts(tx, stand, { from: row.position, to: position });

  const name = nameOf(key);
  // Not when it is confirmed: who reads an older moment of the database still needs to know what was written out since.
  handovers.forget(name, row.position);
  const until = tx.now + LOST_AFTER_MS;
  if (elsewhere) handovers.take(name, elsewhere);
  for (const { from, to } of passed) if (to !== null) handovers.take(name, { from, to, until })(true);
  const settle = handovers.take(name, { from, to: upTo, byAck, until });
  whenSettled((written) => {
    settle(written);
    return written ? confirmWritten(context, stand, welcome) : undefined;
  });
}

/** Moves the place over all that was written out without a gap, and writes receipts for it. */
function confirmWritten({ handovers }: HandoverContext, followed: Followed, welcome: boolean): AfterAnswer {
  const { key } = followed;
  const name = nameOf(key);
  return async (tx: Tx) => {
    const row = await findPlace(tx, key);
    if (!row) return;
    const upTo = handovers.writtenUpTo(name, row.position, false);
    if (upTo > row.position) {
      await movePlace(tx, key, upTo);
      await writeReceipts(tx, followed, { from: row.position, to: upTo });
    }
    if (welcome) await markWelcomed(tx, key);
  };
}

/** For what is especially for the reader, or for the person it acts for, in a stretch that has arrived. */
async function writeReceipts(tx: Tx, { key, news }: Followed, stretch: { from: number; to: number }): Promise<void> {
  const { member, notBy } = news;
  if (member === undefined) await recordHandovers(tx, key, notBy, stretch);
  else await recordQuestionHandovers(tx, key, { ...news, member }, stretch);
}

function nameOf({ organization, credential, session, path, room }: PlaceKey): string {
  return JSON.stringify([organization, credential, session, path, room]);
}
