import type { RoomRef } from "../core/operation.ts";
import { type Sql, sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";
import { dropOldestSessions } from "./session-queries.ts";
import type { CredentialKind } from "./tokens.ts";

/** A live credential as it is kept, with what is known of its member. */
export interface TokenRow {
  readonly organization: string;
  readonly id: string;
  readonly kind: CredentialKind;
  readonly member: string;
  readonly readonly: number;
  readonly admin: number;
  readonly all_rooms: number;
  readonly default_room: number | null;
  readonly expires_at: number | null;
  readonly last_seen_at: number | null;
  /** The person that an agent belongs to. */
  readonly owner: string | null;
  /** A person's role in the organization; null for an agent. */
  readonly person_role: "member" | "admin" | null;
  /** Since when its password is known to tools, and so perhaps to agents; null where it is not. */
  readonly exposed_at: number | null;
}

/** A condition on `tokens t`: neither revoked nor expired. */
export function isLive(tx: Tx): Sql {
  return sql`t.revoked_at is null and (t.expires_at is null or t.expires_at > ${tx.now})`;
}

/** The credential with this hash, if it is neither revoked nor expired and its member, and that one's owner, are still there. */
export function findLiveToken(tx: Tx, hash: string): Promise<TokenRow | undefined> {
  return tx.one<TokenRow>(sql`
    select t.organization, t.id, t.kind, t.member, t.readonly, t.admin, t.all_rooms, t.default_room, t.expires_at,
      t.last_seen_at, m.owner, p.role as person_role, p.exposed_at
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    left join persons p on p.organization = m.organization and p.handle = m.handle
    left join members o on o.organization = m.organization and o.handle = m.owner
    where t.hash = ${hash} and ${isLive(tx)} and m.deactivated_at is null and o.deactivated_at is null`);
}

/** The grant that an access token of the authorization server was made under; grants are credentials too. */
export async function findGrantHash(tx: Tx, accessTokenHash: string): Promise<string | undefined> {
  const row = await tx.one<{ grant_id: string | null }>(sql`
    select grant_id
    from oauth_records
    where kind = 'AccessToken' and id = ${accessTokenHash} and expires_at > ${tx.now}`);
  return row?.grant_id ?? undefined;
}

/** Whether anything was ever brought over from another system. */
export async function hasImports(tx: Tx): Promise<boolean> {
  return (await tx.one(sql`select 1 as one from imported limit 1`)) !== undefined;
}

/** Whether it grants every room: an agent's token that says so, or an administrator's sign-in that administers. */
export function entersAllRooms({ all_rooms, admin, readonly, person_role }: TokenRow): boolean {
  return person_role === null ? all_rooms === 1 : person_role === "admin" && admin === 1 && readonly === 0;
}

/** The rooms a credential grants. */
export async function listGrantedRooms(tx: Tx, token: TokenRow): Promise<RoomRef[]> {
  if (entersAllRooms(token)) return listAllRooms(tx, token.organization);
  if (token.person_role !== null) return listRoomsOfPerson(tx, token.organization, token.member);
  const rows = await tx.all<RoomRow>(sql`
    select r.id, r.name, r.archived_at
    from token_rooms g
    join rooms r on r.organization = g.organization and r.id = g.room
    where g.organization = ${token.organization} and g.token = ${token.id}
    order by r.name`);
  return rows.map(toRef);
}

/** The rooms a person may enter, oldest first. */
export async function listRoomsOfPerson(tx: Tx, organization: string, person: string): Promise<RoomRef[]> {
  const rows = await tx.all<RoomRow>(sql`
    select r.id, r.name, r.archived_at
    from person_rooms g
    join rooms r on r.organization = g.organization and r.id = g.room
    where g.organization = ${organization} and g.person = ${person}
    order by r.id`);
  return rows.map(toRef);
}

/** Every room of an organization, oldest first. */
export async function listAllRooms(tx: Tx, organization: string): Promise<RoomRef[]> {
  const rows = await tx.all<RoomRow>(sql`
    select r.id, r.name, r.archived_at
    from rooms r
    where r.organization = ${organization} and ${IS_THERE}
    order by r.id`);
  return rows.map(toRef);
}

interface RoomRow {
  readonly id: number;
  readonly name: string;
  readonly archived_at: number | null;
}

function toRef({ id, name, archived_at }: RoomRow): RoomRef {
  return { id, name, ...(archived_at !== null && { archived: true as const }) };
}

/** A condition on `rooms r`: not deleted. What is in a deleted one goes bit by bit, and meanwhile it has a name that none can have. */
export const IS_THERE = sql`r.name not like '#%'`;

/** Whether a room still exists. */
export async function isRoomThere(tx: Tx, organization: string, room: number): Promise<boolean> {
  return (
    (await tx.one(sql`
      select r.id
      from rooms r
      where r.organization = ${organization} and r.id = ${room} and ${IS_THERE}`)) !== undefined
  );
}

export async function hasOrganization(tx: Tx, organization: string): Promise<boolean> {
  return (await tx.one(sql`select id from organizations where id = ${organization}`)) !== undefined;
}

/** Those of these credentials that still hold, each with the rooms it names or its person may enter. */
export async function listLiveGrants(
  tx: Tx,
  organization: string,
  credentials: readonly string[],
): Promise<Map<string, ReadonlySet<number>>> {
  const rows = await tx.all<{ id: string; room: number | null }>(sql`
    select t.id, coalesce(g.room, p.room) as room
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    left join members o on o.organization = m.organization and o.handle = m.owner
    left join token_rooms g on g.organization = t.organization and g.token = t.id
    left join person_rooms p on p.organization = t.organization and p.person = t.member
    where t.organization = ${organization} and t.id in (${sql.list(credentials)}) and ${isLive(tx)}
      and m.deactivated_at is null and o.deactivated_at is null`);
  const byId = Map.groupBy(rows, (row) => row.id);
  return new Map([...byId].map(([id, granted]) => [id, new Set(granted.flatMap(({ room }) => room ?? []))]));
}

/** Notes when and from where a token was last used. Only ever later. */
export async function markTokenSeen(tx: Tx, organization: string, id: string, address: string): Promise<void> {
  await tx.run(sql`
    update tokens
    set last_seen_at = ${tx.now}, last_address = ${address}
    where organization = ${organization} and id = ${id}`);
}

/**
 * Proves that a session of a member was there a moment ago, by a path: `tool`, `hook`, `watch`, `bridge`, `browser`.
 * Where there are too many, the oldest makes room.
 */
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
  await dropOldestSessions(tx, organization, member, path);
}
