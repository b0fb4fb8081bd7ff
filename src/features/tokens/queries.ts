import { isLive } from "../../access/queries.ts";
import type { TokenKind } from "../../access/tokens.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { isFormerHandle } from "../erasure/former-handle-queries.ts";

/** A token as it is listed; its hash is read by nobody but the look-up. Moments are ms since 1970, UTC. */
export interface TokenListRow {
  readonly id: string;
  readonly kind: TokenKind;
  readonly member: string;
  /** The person that the agent belongs to. */
  readonly owner: string | null;
  readonly label: string;
  readonly readonly: number;
  readonly admin: number;
  readonly all_rooms: number;
  readonly default_room: number | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly revoked_by: string | null;
  readonly last_seen_at: number | null;
  readonly last_address: string | null;
}

/**
 * Makes the agent if the handle is free. A handle is never given to another member, nor an agent to another person: what its
 * older tokens may see would change hands.
 *
 * @param owner  the person it belongs to, null for nobody, undefined for whomever it belongs to.
 * @returns undefined when another member has the handle, or the agent is another's.
 */
export async function ensureAgent(
  tx: Tx,
  organization: string,
  handle: string,
  owner: string | null | undefined,
): Promise<{ made: boolean; owner: string | null } | undefined> {
  if (await isFormerHandle(tx, organization, handle)) return undefined;
  const made = await tx.run(sql`
    insert into members (organization, handle, kind, display_name, owner, created_at)
    values (${organization}, ${handle}, 'agent', ${handle}, ${owner ?? null}, ${tx.now})
    on conflict (organization, handle) do nothing`);
  const agent = await tx.one<{ owner: string | null }>(sql`
    select owner
    from members
    where organization = ${organization} and handle = ${handle} and kind = 'agent' and deactivated_at is null`);
  if (!agent || (owner !== undefined && agent.owner !== owner)) return undefined;
  return { made: made === 1, owner: agent.owner };
}

/** How many agents a person has, and how many live tokens they have together. */
export async function countOwned(
  tx: Tx,
  organization: string,
  owner: string,
): Promise<{ agents: number; tokens: number }> {
  const row = await tx.one<{ agents: number; tokens: number }>(sql`
    select count(distinct m.handle) as agents, count(t.id) as tokens
    from members m
    left join tokens t on t.organization = m.organization and t.member = m.handle and ${isLive(tx)}
    where m.organization = ${organization} and m.owner = ${owner} and m.deactivated_at is null`);
  return row ?? { agents: 0, tokens: 0 };
}

export interface NewToken {
  readonly organization: string;
  readonly id: string;
  readonly kind: TokenKind;
  readonly member: string;
  readonly label: string;
  readonly hash: string;
  readonly readonly: boolean;
  readonly admin: boolean;
  readonly allRooms: boolean;
  /** Ids; the first is the default one. */
  readonly rooms: readonly number[];
  readonly createdBy: string;
  readonly expiresAt: number | null;
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.run(sql`
    insert into tokens
      (organization, id, kind, member, label, hash, readonly, admin, all_rooms, default_room, created_at, created_by, expires_at)
    values (${token.organization}, ${token.id}, ${token.kind}, ${token.member}, ${token.label}, ${token.hash},
      ${Number(token.readonly)}, ${Number(token.admin)}, ${Number(token.allRooms)}, ${token.rooms[0] ?? null},
      ${tx.now}, ${token.createdBy}, ${token.expiresAt})`);
  for (const room of token.rooms) {
    await tx.run(sql`
      insert into token_rooms (organization, token, room)
      values (${token.organization}, ${token.id}, ${room})`);
  }
}

/** Which of these rooms there are. */
export function listRoomsNamed(
  tx: Tx,
  organization: string,
  names: readonly string[],
): Promise<{ id: number; name: string }[]> {
  return tx.all(sql`
    select id, name
    from rooms
    where organization = ${organization} and name in (${sql.list(names)})`);
}

export interface TokenQuery {
  readonly organization: string;
  readonly agent?: string | undefined;
  /** Only those of this person's agents. */
  readonly owner?: string | undefined;
  /** Leave out what is revoked or expired. */
  readonly liveOnly: boolean;
  /** Only those made before this one; ids grow with time. */
  readonly beforeId?: string | undefined;
  readonly limit: number;
}

/** Tokens, newest first. */
export function findTokens(tx: Tx, query: TokenQuery): Promise<TokenListRow[]> {
  const conditions = [
    sql`t.organization = ${query.organization} and t.kind = 'agt'`,
    ...(query.agent === undefined ? [] : [sql`t.member = ${query.agent}`]),
    ...(query.owner === undefined ? [] : [sql`m.owner = ${query.owner}`]),
    ...(query.liveOnly ? [isLive(tx)] : []),
    ...(query.beforeId === undefined ? [] : [sql`t.id < ${query.beforeId}`]),
  ];
  return tx.all<TokenListRow>(sql`
    select t.id, t.kind, t.member, m.owner, t.label, t.readonly, t.admin, t.all_rooms, t.default_room, t.created_at,
      t.created_by, t.expires_at, t.revoked_at, t.revoked_by, t.last_seen_at, t.last_address
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    where ${sql.join(conditions, " and ")}
    order by t.id desc
    limit ${query.limit}`);
}

/** The rooms that each of these tokens names, by token id. What `all_rooms` grants is not in it. */
export async function listRoomsOfTokens(
  tx: Tx,
  organization: string,
  ids: readonly string[],
): Promise<Map<string, { id: number; name: string }[]>> {
  const rows = await tx.all<{ token: string; id: number; name: string }>(sql`
    select g.token, r.id, r.name
    from token_rooms g
    join rooms r on r.organization = g.organization and r.id = g.room
    where g.organization = ${organization} and g.token in (${sql.list(ids)})
    order by r.name`);
  return Map.groupBy(rows, (row) => row.token);
}

/** Whether there was ever such a token, or one of such an agent. */
export async function isTokenKnown(tx: Tx, organization: string, which: WhichTokens): Promise<boolean> {
  return (
    (await tx.one(sql`select id from tokens where organization = ${organization} and ${matching(which)} limit 1`)) !==
    undefined
  );
}

/** One token by its id, or all of an agent; with `owner` only if the agent is this person's. */
export type WhichTokens = ({ readonly id: string } | { readonly agent: string }) & {
  readonly owner?: string | undefined;
};

/** Revokes those that were not revoked yet, and gives them. */
export function revokeTokens(
  tx: Tx,
  organization: string,
  which: WhichTokens,
  by: string,
): Promise<{ id: string; member: string }[]> {
  return tx.all(sql`
    update tokens
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where organization = ${organization} and ${matching(which)} and revoked_at is null
    returning id, member`);
}

/** Removes tokens that were revoked at `before` (ms) or earlier; with them go their grants and places. */
export function purgeRevokedTokens(tx: Tx, organization: string, before: number): Promise<number> {
  return tx.run(sql`
    delete from tokens
    where organization = ${organization} and kind = 'agt' and revoked_at is not null and revoked_at <= ${before}`);
}

export async function countTokens(
  tx: Tx,
  organization: string,
): Promise<{ live: number; expired: number; revoked: number }> {
  const row = await tx.one<{ tokens: number; revoked: number | null; live: number | null }>(sql`
    select count(*) as tokens, sum(case when revoked_at is null then 0 else 1 end) as revoked,
      sum(case when ${isLive(tx)} then 1 else 0 end) as live
    from tokens t
    where organization = ${organization} and kind = 'agt'`);
  const { tokens = 0 } = row ?? {};
  const live = row?.live ?? 0;
  const revoked = row?.revoked ?? 0;
  return { live, expired: tokens - live - revoked, revoked };
}

function matching(which: WhichTokens): Sql {
  const named = "id" in which ? sql`id = ${which.id}` : sql`member = ${which.agent}`;
  const owned =
    which.owner === undefined
      ? sql.nothing
      : sql`and exists (
          select 1
          from members m
          where m.organization = tokens.organization and m.handle = tokens.member and m.owner = ${which.owner})`;
  return sql`${named} and kind = 'agt' ${owned}`;
}
