import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A person who is there, with what is known of it. Moments are ms since 1970, UTC. */
export interface ProfileRow {
  readonly organization: string;
  readonly handle: string;
  readonly display_name: string;
  readonly role: "member" | "admin";
  /** A list as JSON. */
  readonly ownership: string;
  readonly notes: string;
  /** For administrators' eyes alone. */
  readonly profile_notes: string;
  readonly created_at: number;
}

/** A person of the organization, unless there is none by that handle or it was deactivated. */
export function findProfile(tx: Tx, organization: string, handle: string): Promise<ProfileRow | undefined> {
  return tx.one<ProfileRow>(sql`
    select ${COLUMNS}
    from persons p
    join members m on m.organization = p.organization and m.handle = p.handle
    where p.organization = ${organization} and p.handle = ${handle} and m.deactivated_at is null`);
}

/** The people of the organization, by handle after `after`. */
export function listProfiles(tx: Tx, organization: string, after: string, limit: number): Promise<ProfileRow[]> {
  return tx.all<ProfileRow>(sql`
    select ${COLUMNS}
    from persons p
    join members m on m.organization = p.organization and m.handle = p.handle
    where p.organization = ${organization} and p.handle > ${after} and m.deactivated_at is null
    order by p.handle
    limit ${limit}`);
}

/** Those of these members who are people of the organization. */
export function listProfilesNamed(tx: Tx, organization: string, handles: readonly string[]): Promise<ProfileRow[]> {
  return tx.all<ProfileRow>(sql`
    select ${COLUMNS}
    from persons p
    join members m on m.organization = p.organization and m.handle = p.handle
    where p.organization = ${organization} and p.handle in (${sql.list(handles)}) and m.deactivated_at is null`);
}

const COLUMNS = sql`
  p.organization, p.handle, m.display_name, p.role, p.ownership, p.notes, p.profile_notes, m.created_at`;

/** What a person may set of a profile; undefined leaves a field alone. */
export interface ProfileChange {
  readonly name?: string | undefined;
  readonly ownership?: readonly string[] | undefined;
  readonly notes?: string | undefined;
  readonly profileNotes?: string | undefined;
}

/** Sets what is given. False when there is no such person, or no longer. */
export async function updateProfile(
  tx: Tx,
  organization: string,
  handle: string,
  { name, ownership, notes, profileNotes }: ProfileChange,
): Promise<boolean> {
  const named = await tx.run(sql`
    update members
    set display_name = coalesce(${name ?? null}, display_name)
    where organization = ${organization} and handle = ${handle} and kind = 'person' and deactivated_at is null`);
  if (named === 0) return false;
  await tx.run(sql`
    update persons
    set ownership = coalesce(${ownership === undefined ? null : JSON.stringify(ownership)}, ownership),
      notes = coalesce(${notes ?? null}, notes),
      profile_notes = coalesce(${profileNotes ?? null}, profile_notes)
    where organization = ${organization} and handle = ${handle}`);
  return true;
}

/** What went between two members: every question and every answer counts as one message. */
export interface InteractionRow {
  readonly other: string;
  readonly messages: number;
  readonly last_at: number;
}

/** With whom a person has exchanged questions, the latest first; `other`: with this one alone. */
export function listInteractions(
  tx: Tx,
  {
    organization,
    person,
    other,
    limit,
  }: { organization: string; person: string; other?: string | undefined; limit: number },
): Promise<InteractionRow[]> {
  return tx.all<InteractionRow>(sql`
    select pairs.other, cast(sum(pairs.messages) as bigint) as messages, max(pairs.last_at) as last_at
    from (
      ${exchanged(sql`q.recipient`, sql`q.asker`, organization, person, other)}
      union all
      ${exchanged(sql`q.asker`, sql`q.recipient`, organization, person, other)}) pairs
    group by pairs.other
    order by last_at desc, pairs.other
    limit ${limit}`);
}

/** Not grouped here: for the sake of that order SQLite would go through the questions of the whole organization. */
function exchanged(theirs: Sql, mine: Sql, organization: string, person: string, other: string | undefined): Sql {
  const one = other === undefined ? sql.nothing : sql`and ${theirs} = ${other}`;
  return sql`
    select ${theirs} as other, case when q.answered_at is null then 1 else 2 end as messages,
      coalesce(q.answered_at, q.created_at) as last_at
    from questions q
    where q.organization = ${organization} and ${mine} = ${person} and ${theirs} <> ${person} ${one}`;
}
