import { fail } from "../../core/errors.ts";
import { cursorOf, type LogHead } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A room's part of the log. */
export interface RoomLog {
  readonly organization: string;
  readonly room: number;
}

/**
 * Takes the oldest events out of a room's log, up to a position. Of each there stays its place and its digest, which then stands for
 * what was there. Acts of administration stay whole for the audit log, and are told to the room's readers no more.
 */
export async function pruneEvents(tx: Tx, { organization, room }: RoomLog, upTo: number): Promise<void> {
  const which = sql`organization = ${organization} and room = ${room} and position <= ${upTo} and pruned_at is null`;
  await tx.run(sql`
    update events
    set at = 0, kind = '', actor = '', task = null, message = null, file = null, question = null, detail = '', concerns = '',
      content_hash = null, pruned_at = ${tx.now}
    where ${which} and address is null`);
  await tx.run(sql`update events set pruned_at = ${tx.now} where ${which}`);
  await tx.run(sql`
    update rooms
    set pruned_to = ${upTo}
    where organization = ${organization} and id = ${room} and pruned_to < ${upTo}`);
}

/** Up to which position the events of a room were pruned; 0 when none was. */
export async function findPrunedTo(tx: Tx, { organization, room }: RoomLog): Promise<number> {
  const row = await tx.one<{ pruned_to: number }>(sql`
    select pruned_to
    from rooms
    where organization = ${organization} and id = ${room}`);
  return row?.pruned_to ?? 0;
}

/**
 * After which position somebody reads on who has read up to `position`: there; from the beginning (0), after all that was pruned.
 *
 * @throws HubError `cursor_expired` when events were pruned that it had not read.
 */
export async function readableFrom(tx: Tx, log: RoomLog, head: LogHead, position: number): Promise<number> {
  const prunedTo = await findPrunedTo(tx, log);
  if (position === 0) return prunedTo;
  if (position < prunedTo) throw fail("cursor_expired", { oldest: prunedTo + 1, cursor: cursorOf(head, prunedTo) });
  return position;
}
