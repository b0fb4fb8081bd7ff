import type { RoomRef } from "../core/operation.ts";
import { type Sql, sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** A live token as it is kept. */
export interface TokenRow {
  readonly organization: string;
  readonly id: string;
  readonly member: string;
  readonly readonly: number;
  readonly admin: number;
  readonly all_rooms: number;
  readonly default_room: number | null;
  readonly expires_at: number | null;
  readonly last_seen_at: number | null;
}

/** A condition on `tokens t`: neither revoked nor expired. */
export function isLive(tx: Tx): Sql {
  return sql`t.revoked_at is null and (t.expires_at is null or t.expires_at > ${tx.now})`;
}

/** The token with this hash, if it is neither revoked nor expired and its member is still there. */
export function findLiveToken(tx: Tx, hash: string): Promise<TokenRow | undefined> {
  return tx.one<TokenRow>(sql`
    select t.organization, t.id, t.member, t.readonly, t.admin, t.all_rooms, t.default_room, t.expires_at, t.last_seen_at
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    where t.hash = ${hash} and ${isLive(tx)} and m.deactivated_at is null`);
}

/** The rooms a token grants, by name. */
export function listGrantedRooms(tx: Tx, token: TokenRow): Promise<RoomRef[]> {
  if (token.all_rooms) return listAllRooms(tx, token.organization);
  return tx.all<RoomRef>(sql`
    select r.id, r.name
    from token_rooms g
    join rooms r on r.organization = g.organization and r.id = g.room
    where g.organization = ${token.organization} and g.token = ${token.id}
    order by r.name`);
}

/** Every room of an organization, oldest first. */
export function listAllRooms(tx: Tx, organization: string): Promise<RoomRef[]> {
  return tx.all<RoomRef>(sql`
    select id, name
    from rooms
    where organization = ${organization}
    order by id`);
}

/** Whether a room still exists. */
export async function isRoomThere(tx: Tx, organization: string, room: number): Promise<boolean> {
  return (await tx.one(sql`select id from rooms where organization = ${organization} and id = ${room}`)) !== undefined;
}

export async function hasOrganization(tx: Tx, organization: string): Promise<boolean> {
  return (await tx.one(sql`select id from organizations where id = ${organization}`)) !== undefined;
}

/** Of these tokens of one organization, those that still hold. */
export async function listLiveTokens(tx: Tx, organization: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    select t.id
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    where t.organization = ${organization} and t.id in (${sql.list(ids)}) and ${isLive(tx)}
      and m.deactivated_at is null`);
  return rows.map((row) => row.id);
}

/** Notes when and from where a token was last used. Only ever later. */
export async function markTokenSeen(tx: Tx, organization: string, id: string, address: string): Promise<void> {
  await tx.run(sql`
    update tokens
    set last_seen_at = ${tx.now}, last_address = ${address}
    where organization = ${organization} and id = ${id}`);
}

/** Proves that a session of a member was there a moment ago, by a path: `tool`, `hook`, `watch`, `bridge`. */
export async function markPresence(
  tx: Tx,
  organization: string,
  member: string,
  session: string,
  path: string,
): Promise<void> {
  await tx.run(sql`
    insert into presence (organization, member, session, path, seen_at)
    values (${organization}, ${member}, ${session}, ${path}, ${tx.now})
    on conflict (organization, member, session, path) do update set seen_at = excluded.seen_at`);
}
