import { IS_THERE, isLive } from "../../access/queries.ts";
import type { Caller, RoomRef } from "../../core/operation.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A room's standing information. Moments are ms since 1970, UTC. */
export interface RoomRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly repo_url: string;
  readonly onboarding_notes: string;
  readonly info_set_by: string | null;
  readonly info_set_at: number | null;
  readonly info_by: "writers" | "admins";
  readonly lease_minutes: number | null;
  readonly retention_days: number | null;
  readonly archived_at: number | null;
  readonly created_at: number;
  readonly created_by: string;
}

export interface RoomWithCounts extends RoomRow {
  readonly open_tasks: number;
  readonly messages: number;
  readonly files: number;
}

const ROOM_COLUMNS = sql`
  r.id, r.name, r.description, r.repo_url, r.onboarding_notes, r.info_set_by, r.info_set_at, r.info_by,
  r.lease_minutes, r.retention_days, r.archived_at, r.created_at, r.created_by`;

export function findRoom(tx: Tx, organization: string, room: number): Promise<RoomRow | undefined> {
  return tx.one<RoomRow>(sql`
    select ${ROOM_COLUMNS}
    from rooms r
    where r.organization = ${organization} and r.id = ${room}`);
}

export function findRoomNamed(tx: Tx, organization: string, name: string): Promise<RoomRow | undefined> {
  return tx.one<RoomRow>(sql`
    select ${ROOM_COLUMNS}
    from rooms r
    where r.organization = ${organization} and r.name = ${name}`);
}

/** The rooms a caller may enter, by name after `after`, each with what is in it. */
export function listVisibleRooms(tx: Tx, caller: Caller, after: string, limit: number): Promise<RoomWithCounts[]> {
  const granted = [...caller.rooms.values()].map((room) => room.id);
  const visible = caller.allRooms ? sql`and ${IS_THERE}` : sql`and r.id in (${sql.list(granted)})`;
  return tx.all<RoomWithCounts>(sql`
    select ${ROOM_COLUMNS}, r.last_message as messages,
      (select count(*) from tasks t where t.organization = r.organization and t.room = r.id
        and t.status in ('pending', 'in_progress', 'blocked', 'in_review')) as open_tasks,
      (select count(*) from files f where f.organization = r.organization and f.room = r.id
        and (f.expires_at is null or f.expires_at > ${tx.now})) as files
    from rooms r
    where r.organization = ${caller.organization} and r.name > ${after} ${visible}
    order by r.name
    limit ${limit}`);
}

export async function countRooms(tx: Tx, organization: string): Promise<number> {
  const row = await tx.one<{ count: number }>(
    sql`select count(*) as count from rooms r where r.organization = ${organization} and ${IS_THERE}`,
  );
  return row?.count ?? 0;
}

export interface NewRoom {
  readonly organization: string;
  readonly name: string;
  readonly createdBy: string;
}

/** Makes a room with the organization's next room id. Gives nothing back when the name is taken. */
export async function insertRoom(tx: Tx, room: NewRoom): Promise<RoomRef | undefined> {
  if (await findRoomNamed(tx, room.organization, room.name)) return undefined;
  const log = await tx.one<{ last_room: number }>(sql`
    update logs
    set last_room = last_room + 1
    where organization = ${room.organization}
    returning last_room`);
  if (!log) throw new Error(`Organization ${room.organization} has no log.`);
  await tx.run(sql`
    insert into rooms (organization, id, name, created_at, created_by)
    values (${room.organization}, ${log.last_room}, ${room.name}, ${tx.now}, ${room.createdBy})`);
  return { id: log.last_room, name: room.name };
}

/** What may be set on a room; undefined leaves a field alone. */
export interface RoomInfo {
  readonly description?: string | undefined;
  readonly repo_url?: string | undefined;
  readonly onboarding_notes?: string | undefined;
}

/** A room's rules; undefined leaves one alone. */
export interface RoomPolicy {
  readonly lease_minutes?: number | undefined;
  readonly info_by?: "writers" | "admins" | undefined;
}

/** Sets a room's information, unless its policy keeps that to admins and `admin` is false: then nothing comes back. */
export function updateRoomInfo(
  tx: Tx,
  caller: Caller,
  room: number,
  info: RoomInfo,
  admin: boolean,
): Promise<RoomRow | undefined> {
  const mayNot = admin ? sql.nothing : sql`and info_by = 'writers'`;
  return tx.one<RoomRow>(sql`
    update rooms
    set description = coalesce(${info.description ?? null}, description),
      repo_url = coalesce(${info.repo_url ?? null}, repo_url),
      onboarding_notes = coalesce(${info.onboarding_notes ?? null}, onboarding_notes),
      info_set_by = ${caller.handle},
      info_set_at = ${tx.now}
    where organization = ${caller.organization} and id = ${room} ${mayNot}
    returning id, name, description, repo_url, onboarding_notes, info_set_by, info_set_at, info_by,
      lease_minutes, retention_days, archived_at, created_at, created_by`);
}

/** Sets a room's rules. Nothing comes back when the room is gone. */
export function updateRoomPolicy(
  tx: Tx,
  organization: string,
  room: number,
  { lease_minutes, info_by }: RoomPolicy,
): Promise<RoomRow | undefined> {
  return tx.one<RoomRow>(sql`
    update rooms
    set lease_minutes = coalesce(cast(${lease_minutes ?? null} as integer), lease_minutes),
      info_by = coalesce(${info_by ?? null}, info_by)
    where organization = ${organization} and id = ${room}
    returning id, name, description, repo_url, onboarding_notes, info_set_by, info_set_at, info_by,
      lease_minutes, retention_days, archived_at, created_at, created_by`);
}

/** Gives a room another name, unless there is one of that name. False then, and when it is gone. */
export async function renameRoom(tx: Tx, organization: string, room: number, name: string): Promise<boolean> {
  const renamed = await tx.run(sql`
    update rooms
    set name = ${name}
    where organization = ${organization} and id = ${room} and not exists (
      select 1
      from rooms other
      where other.organization = ${organization} and other.name = ${name})`);
  return renamed > 0;
}

/** Archives a room, or opens it again. False when it was so before. */
export async function setArchived(tx: Tx, organization: string, room: number, archived: boolean): Promise<boolean> {
  const changed = await tx.run(sql`
    update rooms
    set archived_at = ${archived ? tx.now : null}
    where organization = ${organization} and id = ${room} and archived_at is ${archived ? sql.nothing : sql`not`} null`);
  return changed > 0;
}

/** Which of these handles are members who can enter the room now, by a live token. */
export async function listMembersInRoom(
  tx: Tx,
  organization: string,
  room: number,
  handles: readonly string[],
): Promise<string[]> {
  if (handles.length === 0) return [];
  const rows = await tx.all<{ handle: string }>(sql`
    select m.handle
    from members m
    where m.organization = ${organization} and m.handle in (${sql.list(handles)}) and ${mayEnter(tx, room)}
    order by m.handle`);
  return rows.map((row) => row.handle);
}

/** Every member who can enter the room now, at most `limit`. */
export async function listEveryoneInRoom(tx: Tx, organization: string, room: number, limit: number): Promise<string[]> {
  const rows = await tx.all<{ handle: string }>(sql`
    select m.handle
    from members m
    where m.organization = ${organization} and ${mayEnter(tx, room)}
    order by m.handle
    limit ${limit}`);
  return rows.map((row) => row.handle);
}

/**
 * A condition on `members m`: present, and able to enter the room. An agent holds a live token that grants it; a person is
 * let in, signed in or not, and an administrator is let in everywhere.
 */
export function mayEnter(tx: Tx, room: number) {
  return sql`m.deactivated_at is null and (
    exists (
      select 1
      from tokens t
      where t.organization = m.organization and t.member = m.handle and t.kind = 'agt' and ${isLive(tx)}
        and (t.all_rooms = 1 or exists (
          select 1
          from token_rooms g
          where g.organization = t.organization and g.token = t.id and g.room = ${room})))
    or exists (
      select 1
      from persons p
      where p.organization = m.organization and p.handle = m.handle
        and (p.role = 'admin' or exists (
          select 1
          from person_rooms g
          where g.organization = p.organization and g.person = p.handle and g.room = ${room}))))`;
}
