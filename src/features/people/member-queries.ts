import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { isFormerHandle } from "../erasure/former-handle-queries.ts";

/** A member as administrators see it, gone ones too. Moments are ms since 1970, UTC. */
export interface MemberRow {
  readonly handle: string;
  readonly kind: "person" | "agent" | "webhook";
  readonly display_name: string;
  readonly owner: string | null;
  readonly created_at: number;
  readonly deactivated_at: number | null;
  /** A person's; null for an agent. */
  readonly role: "member" | "admin" | null;
  readonly profile_notes: string | null;
  readonly password_set_at: number | null;
  readonly exposed_at: number | null;
  /** When any of its credentials was last used. */
  readonly last_seen_at: number | null;
}

/** Members by handle after `after`. */
export function listMembersAfter(tx: Tx, organization: string, after: string, limit: number): Promise<MemberRow[]> {
  return tx.all<MemberRow>(sql`
    select m.handle, m.kind, m.display_name, m.owner, m.created_at, m.deactivated_at, p.role, p.profile_notes,
      p.password_set_at, p.exposed_at,
      (select max(t.last_seen_at) from tokens t where t.organization = m.organization and t.member = m.handle) as last_seen_at
    from members m
    left join persons p on p.organization = m.organization and p.handle = m.handle
    where m.organization = ${organization} and m.handle > ${after}
    order by m.handle
    limit ${limit}`);
}

/** The rooms that each of these persons may enter, by handle. An administrator enters every room besides. */
export async function listRoomsOfPersons(
  tx: Tx,
  organization: string,
  handles: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await tx.all<{ person: string; name: string }>(sql`
    select g.person, r.name
    from person_rooms g
    join rooms r on r.organization = g.organization and r.id = g.room
    where g.organization = ${organization} and g.person in (${sql.list(handles)})
    order by g.person, r.name`);
  return new Map(
    [...Map.groupBy(rows, (row) => row.person)].map(([person, rooms]) => [person, rooms.map((row) => row.name)]),
  );
}

/** Whether a member is there, and not gone. */
export async function isMember(tx: Tx, organization: string, handle: string): Promise<boolean> {
  const row = await tx.one(sql`
    select handle
    from members
    where organization = ${organization} and handle = ${handle} and deactivated_at is null`);
  return row !== undefined;
}

/** Whether a handle belongs to a member, or once did: it is never given to another. */
export async function isHandleTaken(tx: Tx, organization: string, handle: string): Promise<boolean> {
  const row = await tx.one(sql`select handle from members where organization = ${organization} and handle = ${handle}`);
  return row !== undefined || isFormerHandle(tx, organization, handle);
}

/**
 * Ends a member, unless it is the last administrator who can sign in, or is not there. Two who would end each other come one
 * after the other: the second finds itself the last.
 */
export async function endMember(tx: Tx, organization: string, handle: string): Promise<boolean> {
  const ended = await tx.run(sql`
    update members
    set deactivated_at = ${tx.now}
    where organization = ${organization} and handle = ${handle} and deactivated_at is null
      and (
        not exists (
          select 1
          from persons p
          where p.organization = members.organization and p.handle = members.handle and p.role = 'admin'
            and p.password_hash is not null)
        or exists (
          select 1
          from persons p
          join members o on o.organization = p.organization and o.handle = p.handle
          where p.organization = members.organization and p.handle <> members.handle and p.role = 'admin'
            and p.password_hash is not null and o.deactivated_at is null))`);
  return ended === 1;
}

/** Ends the agents that a person owns. Gives their handles. */
export async function endAgentsOf(tx: Tx, organization: string, owner: string): Promise<string[]> {
  const rows = await tx.all<{ handle: string }>(sql`
    update members
    set deactivated_at = ${tx.now}
    where organization = ${organization} and owner = ${owner} and deactivated_at is null
    returning handle`);
  return rows.map((row) => row.handle).toSorted();
}

/** Ends every credential of these members: tokens, sessions and the grants made in a browser, whose tokens go with them. */
export async function endCredentials(
  tx: Tx,
  organization: string,
  handles: readonly string[],
  by: string,
): Promise<{ id: string; kind: string; member: string }[]> {
  const ended = await tx.all<{ id: string; kind: string; member: string; hash: string }>(sql`
    update tokens
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where organization = ${organization} and member in (${sql.list(handles)}) and revoked_at is null
    returning id, kind, member, hash`);
  const grants = ended.filter(({ kind }) => kind === "oat").map(({ hash }) => hash);
  if (grants.length > 0) await tx.run(sql`delete from oauth_records where grant_id in (${sql.list(grants)})`);
  return ended.map(({ id, kind, member }) => ({ id, kind, member }));
}
