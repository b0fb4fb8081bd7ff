import { HUB } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Tx } from "../../store/store.ts";
import { isLive } from "../queries.ts";

/** What the authorization server keeps, by kind; `id` is a digest. Moments are ms since 1970, UTC. */
export interface RecordRow {
  readonly payload: string;
  readonly expires_at: number | null;
  readonly consumed_at: number | null;
}

export interface NewRecord {
  readonly kind: string;
  readonly id: string;
  readonly payload: string;
  readonly grant: string | null;
  readonly expiresAt: number;
}

/** Keeps a record, or what one has become: never for a shorter time, and that it was used up stays true. */
export async function keepRecord(tx: Tx, { kind, id, payload, grant, expiresAt }: NewRecord): Promise<void> {
  await tx.run(sql`
    insert into oauth_records (kind, id, payload, grant_id, expires_at)
    values (${kind}, ${id}, ${payload}, ${grant}, ${expiresAt})
    on conflict (kind, id) do update
    set payload = excluded.payload, grant_id = excluded.grant_id,
      expires_at = case
        when excluded.expires_at > oauth_records.expires_at then excluded.expires_at
        else oauth_records.expires_at
      end`);
}

export function findRecord(tx: Tx, kind: string, id: string): Promise<RecordRow | undefined> {
  return tx.one<RecordRow>(sql`
    select payload, expires_at, consumed_at
    from oauth_records
    where kind = ${kind} and id = ${id} and expires_at > ${tx.now}`);
}

/** Uses a record up. False when that was done before: of two who try at once, one does it. */
export async function consumeRecord(tx: Tx, kind: string, id: string): Promise<boolean> {
  const used = await tx.run(sql`
    update oauth_records
    set consumed_at = ${tx.now}
    where kind = ${kind} and id = ${id} and consumed_at is null`);
  return used > 0;
}

export async function dropRecord(tx: Tx, kind: string, id: string): Promise<void> {
  await tx.run(sql`delete from oauth_records where kind = ${kind} and id = ${id}`);
}

/** Codes, tokens and the grant itself. */
export async function dropRecordsOfGrant(tx: Tx, grant: string): Promise<void> {
  await tx.run(sql`delete from oauth_records where grant_id = ${grant}`);
}

/** Drops records whose time is over, a page at a time. Gives how many. */
export function dropOldRecords(tx: Tx, size: number): Promise<number> {
  return tx.run(sql`
    delete from oauth_records
    where (kind, id) in (
      select kind, id from oauth_records where expires_at <= ${tx.now} order by expires_at limit ${size})`);
}

/** Registered clients beyond `most` make room: first those that nobody ever signed in with, oldest first, but never `kept`. */
export async function dropClientsBeyond(tx: Tx, most: number, kept: string): Promise<void> {
  const there = await tx.one<{ clients: number }>(sql`
    select count(*) as clients from oauth_records where kind = 'Client'`);
  const excess = (there?.clients ?? 0) - most;
  if (excess <= 0) return;
  await tx.run(sql`
    delete from oauth_records
    where kind = 'Client' and id in (
      select id
      from oauth_records
      where kind = 'Client' and id <> ${kept}
      order by case when consumed_at is null then 0 else 1 end, coalesce(consumed_at, expires_at), id
      limit ${excess})`);
}

const DAY = 86_400_000;

/** A client that somebody signed in with is kept a day longer than that sign-in: who comes late is told what has ended. */
export async function keepClient(tx: Tx, id: string, endOfGrant: number): Promise<void> {
  const until = endOfGrant + DAY;
  await tx.run(sql`
    update oauth_records
    set consumed_at = ${tx.now}, expires_at = case when expires_at > ${until} then expires_at else ${until} end
    where kind = 'Client' and id = ${id}`);
}

export interface NewGrant {
  readonly organization: string;
  readonly id: string;
  readonly person: string;
  readonly label: string;
  /** The digest of the grant's name. */
  readonly hash: string;
  readonly readonly: number;
  readonly admin: number;
  readonly expiresAt: number;
}

/** A grant is a credential among the others: listed, seen and revoked like them. False when it is there already. */
export async function insertGrant(tx: Tx, grant: NewGrant): Promise<boolean> {
  const { organization, id, person, label, hash, readonly, admin, expiresAt } = grant;
  const made = await tx.run(sql`
    insert into tokens
      (organization, id, kind, member, label, hash, readonly, admin, created_at, created_by, expires_at)
    values
      (${organization}, ${id}, 'oat', ${person}, ${label}, ${hash}, ${readonly}, ${admin}, ${tx.now},
        ${person}, ${expiresAt})
    on conflict (hash) do nothing`);
  return made > 0;
}

/** Ends the oldest grants of a person beyond the most that may be, and gives their ids. Clients sign in anew without ending the last. */
export async function endOldestGrants(tx: Tx, organization: string, person: string, by: string): Promise<string[]> {
  const ofPerson = sql`t.organization = ${organization} and t.member = ${person} and t.kind = 'oat'`;
  const rows = await tx.all<{ id: string }>(sql`
    update tokens as t
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where ${ofPerson} and ${isLive(tx)} and (t.created_at, t.id) < (
      select t.created_at, t.id
      from tokens t
      where ${ofPerson} and ${isLive(tx)}
      order by t.created_at desc, t.id desc
      limit 1 offset ${LIMITS.sessionsPerPerson - 1})
    returning id`);
  return rows.map((row) => row.id);
}

/** Drops grants that ended, some time after: until then they are seen in the list of what ended. */
export async function dropEndedGrants(tx: Tx, organization: string, before: number): Promise<void> {
  await tx.run(sql`
    delete from tokens
    where organization = ${organization} and kind = 'oat' and (revoked_at < ${before} or expires_at < ${before})`);
}

/** A grant that is used goes on; one that has ended does not begin again. */
export async function prolongGrant(tx: Tx, organization: string, hash: string, until: number): Promise<void> {
  await tx.run(sql`
    update tokens
    set expires_at = ${until}
    where organization = ${organization} and hash = ${hash} and revoked_at is null`);
  await tx.run(sql`
    update oauth_records set expires_at = ${until} where kind = 'Grant' and id = ${hash}`);
}

/** Where a grant belongs, whether it still holds or not. */
export async function findOrganizationOfGrant(tx: Tx, hash: string): Promise<string | undefined> {
  const row = await tx.one<{ organization: string }>(sql`
    select organization from tokens where hash = ${hash} and kind = 'oat'`);
  return row?.organization;
}

/** Ends a grant. Undefined when it had ended before. */
export function revokeGrant(
  tx: Tx,
  organization: string,
  hash: string,
): Promise<{ member: string; label: string } | undefined> {
  return tx.one<{ member: string; label: string }>(sql`
    update tokens
    set revoked_at = ${tx.now}, revoked_by = ${HUB}
    where organization = ${organization} and hash = ${hash} and kind = 'oat' and revoked_at is null
    returning member, label`);
}
