import { fail } from "../../core/errors.ts";
import { type LogHead, positionOf } from "../../core/event-log.ts";
import type { AfterAnswer, Caller, HandoverContext, LookContext, RoomRef } from "../../core/operation.ts";
import type { Handout, Stretch } from "../../core/handovers.ts";
import type { Tx } from "../../store/store.ts";
import { dropOldestPlaces } from "./place-queries.ts";
import { findPlace, markWelcomed, movePlace, offer, type PlaceKey, type PlaceRow, recordHandovers } from "./queries.ts";
import { scanForward } from "./scan.ts";

/** A handover that nobody confirmed or gave up after this long (ms) is taken as lost. */
const LOST_AFTER_MS = 60_000;

const NEVER_SEEN: PlaceRow = { position: 0, offered: 0, offered_by: "", offered_at: 0, welcomed_at: null };

/** Where a reader stands in a room. */
export interface Stand {
  readonly key: PlaceKey;
  readonly row: PlaceRow;
  /** Confirmed up to here: as kept, as written out since, or as acknowledged with this call. */
  readonly position: number;
  /** What may be handed out now, in order; the last stretch has no end. */
  readonly open: readonly Stretch[];
  /** What another process has under way. */
  readonly elsewhere: Handout | undefined;
}

export function placeOf(caller: Caller, room: RoomRef, path: string): PlaceKey {
  return {
    organization: caller.organization,
    credential: caller.credential,
    session: caller.session,
    path,
    room: room.id,
  };
}

/**
 * Where the reader stands. `ack`: the cursor it acknowledges with this call.
 *
 * @throws HubError `unknown_cursor` for an acknowledgement of what was never offered; those of `positionOf`.
 */
export async function whereStands(
  { tx, caller, settings, handovers }: Pick<LookContext, "tx" | "caller" | "settings" | "handovers">,
  key: PlaceKey,
  head: LogHead,
  ack?: string | number,
): Promise<Stand> {
  const row = (await findPlace(tx, key)) ?? NEVER_SEEN;
  const name = nameOf(key);
  const acknowledged = ack === undefined ? undefined : positionOf(head, ack);
  if (acknowledged !== undefined) {
    await refuseNeverOffered(tx, caller, key, { offered: row.offered, acknowledged });
    handovers.acknowledge(name, acknowledged);
    const position = Math.max(row.position, acknowledged);
    // Its next acknowledgement stands for all before it, so nothing may be passed over as being under way.
    return { key, row, position, open: [{ from: position, to: null }], elsewhere: undefined };
  }
  const position = handovers.writtenUpTo(name, row.position, true);
  const until = row.offered_at + settings.otherNodesMs;
  const underWay = row.offered > row.position && row.offered_by !== settings.node && until > tx.now;
  const elsewhere = underWay ? { from: row.position, to: row.offered, until } : undefined;
  return { key, row, position, open: handovers.open(name, position, tx.now, elsewhere), elsewhere };
}

/** An answer without news offers nothing, and its cursor is as good as any: only what others did may not be passed over. */
async function refuseNeverOffered(
  tx: Tx,
  { handle }: Caller,
  { organization, room }: PlaceKey,
  { offered, acknowledged }: { offered: number; acknowledged: number },
) {
  if (acknowledged <= offered) return;
  const between = { organization, room, after: offered, before: acknowledged + 1, notBy: handle, limit: 1 };
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
  if (position > row.position) await recordHandovers(tx, key, caller.handle, { from: row.position, to: position });

  const name = nameOf(key);
  // Not when it is confirmed: who reads an older moment of the database still needs to know what was written out since.
  handovers.forget(name, row.position);
  const until = tx.now + LOST_AFTER_MS;
  if (elsewhere) handovers.take(name, elsewhere);
  for (const { from, to } of passed) if (to !== null) handovers.take(name, { from, to, until })(true);
  const settle = handovers.take(name, { from, to: upTo, byAck, until });
  whenSettled((written) => {
    settle(written);
    return written ? confirmWritten(context, key, welcome) : undefined;
  });
}

/** Moves the place over all that was written out without a gap, and writes receipts for it. */
function confirmWritten({ handovers, caller }: HandoverContext, key: PlaceKey, welcome: boolean): AfterAnswer {
  const name = nameOf(key);
  return async (tx: Tx) => {
    const row = await findPlace(tx, key);
    if (!row) return;
    const upTo = handovers.writtenUpTo(name, row.position, false);
    if (upTo > row.position) {
      await movePlace(tx, key, upTo);
      await recordHandovers(tx, key, caller.handle, { from: row.position, to: upTo });
    }
    if (welcome) await markWelcomed(tx, key);
  };
}

function nameOf({ organization, credential, session, path, room }: PlaceKey): string {
  return JSON.stringify([organization, credential, session, path, room]);
}
