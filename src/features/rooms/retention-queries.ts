import { isLive } from "../../access/queries.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { forgetRoomTexts } from "../search/room-texts.ts";
import type { RoomLog } from "./pruning-queries.ts";

/** A room that does not keep everything for ever. */
export interface ForgettingRoom extends RoomLog {
  readonly name: string;
  readonly retention_days: number;
  readonly pruned_to: number;
}

/** The rooms of all organizations that do not keep everything for ever. */
export function listForgettingRooms(tx: Tx): Promise<ForgettingRoom[]> {
  return tx.all<ForgettingRoom>(sql`
    select organization, id as room, name, retention_days, pruned_to
    from rooms
    where retention_days is not null
    order by organization, id`);
}

/** One of them, as it is now. */
export function findForgettingRoom(tx: Tx, organization: string, room: number): Promise<ForgettingRoom | undefined> {
  return tx.one<ForgettingRoom>(sql`
    select organization, id as room, name, retention_days, pruned_to
    from rooms
    where organization = ${organization} and id = ${room} and retention_days is not null`);
}

/** Sets how many days a room keeps things, null for ever. Gives the room, or nothing when it is gone. */
export function updateRetention(
  tx: Tx,
  { organization, room }: RoomLog,
  days: number | null,
): Promise<{ name: string; retention_days: number | null; pruned_to: number } | undefined> {
  return tx.one(sql`
    update rooms
    set retention_days = ${days}
    where organization = ${organization} and id = ${room}
    returning name, retention_days, pruned_to`);
}

/**
 * Up to where those have come who were there since `since` (ms): readers with a credential that still holds, and what follows the log
 * for a webhook or a broker. The least of their places, or undefined when nobody has one.
 */
export async function findLeastRead(
  tx: Tx,
  { organization, room }: RoomLog,
  since: number,
): Promise<number | undefined> {
  const row = await tx.one<{ position: number | null }>(sql`
    select min(position) as position
    from (
      select p.position
      from places p
      join tokens t on t.organization = p.organization and t.id = p.credential
      join members m on m.organization = t.organization and m.handle = t.member
      where p.organization = ${organization} and p.room = ${room} and ${isLive(tx)} and m.deactivated_at is null
        and exists (
          select 1
          from presence s
          where s.organization = p.organization and s.member = t.member and s.session = p.session and s.seen_at > ${since})
      union all
      select f.position
      from followers f
      where f.organization = ${organization} and f.member is null and (f.room is null or f.room = ${room})
        and coalesce(f.retry_at, f.held_until, 0) > ${since}) reached`);
  return row?.position ?? undefined;
}

/** An event that may be due. `at`: ms since 1970, UTC. */
export interface OldEvent {
  readonly position: number;
  readonly at: number;
  readonly kind: string;
  readonly message: number | null;
  readonly file: number | null;
}

/** The oldest events that a room still keeps. */
export function listOldest(tx: Tx, { organization, room }: RoomLog, after: number, limit: number): Promise<OldEvent[]> {
  return tx.all<OldEvent>(sql`
    select position, at, kind, message, file
    from events
    where organization = ${organization} and room = ${room} and position > ${after}
    order by position
    limit ${limit}`);
}

/** Removes messages with all that hangs on them. Answers to them stay, and stay in their thread. Gives how many there were. */
export async function removeMessages(tx: Tx, log: RoomLog, numbers: readonly number[]): Promise<number> {
  const { organization, room } = log;
  await tx.run(sql`
    update messages
    set reply_to = null
    where organization = ${organization} and room = ${room} and reply_to in (${sql.list(numbers)})`);
  forgetRoomTexts(
    tx,
    numbers.map((number) => ({ ...log, kind: "message", id: String(number) })),
  );
  return tx.run(sql`
    delete from messages
    where organization = ${organization} and room = ${room} and number in (${sql.list(numbers)})`);
}

/** Removes files with their bytes. Gives how many there were. */
export async function removeFiles(tx: Tx, log: RoomLog, numbers: readonly number[]): Promise<number> {
  forgetRoomTexts(
    tx,
    numbers.map((number) => ({ ...log, kind: "file", id: String(number) })),
  );
  return tx.run(sql`
    delete from files
    where organization = ${log.organization} and room = ${log.room} and number in (${sql.list(numbers)})`);
}
