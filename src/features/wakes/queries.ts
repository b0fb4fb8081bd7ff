import type { EventKind } from "../../core/events.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { COUNTED_MS, type Refusal } from "./model.ts";

/** Who is to be woken, where. `person`: whose questions it follows. */
export interface Sleeper {
  readonly organization: string;
  readonly member: string;
  readonly person: string | undefined;
  readonly session: string;
  readonly path: string;
  readonly credential: string;
  readonly room: number;
}

/** Something that a session may be woken for. `woken_at`: up to where the log had come when its actor was woken last before it. */
export interface Cause {
  readonly position: number;
  readonly kind: EventKind;
  readonly actor: string;
  readonly concerns: string;
  /** Null for a question's. */
  readonly room: number | null;
  readonly message: number | null;
  readonly task: number | null;
  readonly question: number | null;
  readonly woken_at: number | null;
  readonly hops: number | null;
}

/** Those of these positions that the sleeper may know of and did not do itself, with the wake-up that led to each. */
export function listCauses(tx: Tx, sleeper: Sleeper, positions: readonly number[]): Promise<Cause[]> {
  if (positions.length === 0) return Promise.resolve([]);
  const { organization, member, person, room } = sleeper;
  return tx.all<Cause>(sql`
    select e.position, e.kind, e.actor, e.concerns, e.room, e.message, e.task, e.question,
      ${wakeBefore(tx, sql`w.head`)} as woken_at, ${wakeBefore(tx, sql`w.hops`)} as hops
    from events e
    where e.organization = ${organization} and e.position in (${sql.list(positions)}) and e.actor <> ${member}
      and e.pruned_at is null and (e.room = ${room} or (e.room is null and exists (
        select 1
        from personal_events p
        where p.organization = e.organization and p.member = ${person ?? ""} and p.position = e.position)))
    order by e.position`);
}

function wakeBefore(tx: Tx, column: Sql): Sql {
  return sql`(
    select ${column}
    from wakes w
    where w.organization = e.organization and w.member = e.actor and w.head < e.position and ${counts(tx)}
    order by w.head desc, w.hops desc
    limit 1)`;
}

/** A condition on `wakes w`: it woke, not long ago, and no person came to its session since. */
function counts(tx: Tx): Sql {
  return sql`w.refused is null and w.rearmed_at is null and w.at > ${tx.now - COUNTED_MS}`;
}

/**
 * The newest act of a person after a position, in a room or, where that is null, in the questions of `person`. Who was woken within the
 * hour acts as a program does, unless that person was before a page of this hub.
 */
export async function findPersonsAct(
  tx: Tx,
  { organization, person }: Pick<Sleeper, "organization" | "person">,
  room: number | null,
  after: number,
): Promise<number | undefined> {
  const acts =
    room === null
      ? sql`from personal_events o
        cross join events e
        cross join persons p
        where o.organization = ${organization} and o.member = ${person ?? ""} and o.position > ${after}
          and e.organization = o.organization and e.position = o.position`
      : sql`from events e
        cross join persons p
        where e.organization = ${organization} and e.room = ${room} and e.position > ${after}`;
  // With "not exists" Postgres would gather everybody's wake-ups first.
  const row = await tx.one<{ position: number }>(sql`
    select e.position
    ${acts} and p.organization = e.organization and p.handle = e.actor
      and (
        coalesce((
          select 1
          from wakes w
          where w.organization = e.organization and w.member = e.actor and ${counts(tx)}
          order by w.head desc
          limit 1), 0) = 0
        or exists (
          select 1
          from presence b
          where b.organization = e.organization and b.member = e.actor and b.path = 'browser' and b.seen_at >= e.at - 60000))
    order by e.position desc
    limit 1`);
  return row?.position;
}

/** Of one wake-up so many sessions count as one; who invents sessions without end wakes none of them for long. */
const SESSIONS_AS_ONE = 20;

/**
 * How often a member was woken within the hour, after a position; several sessions woken for the same count once. What it waited for
 * itself does not. `oldest`: the first of them.
 */
export async function countWakes(
  tx: Tx,
  { organization, member }: Pick<Sleeper, "organization" | "member">,
  after = -1,
): Promise<{ used: number; oldest: number }> {
  const row = await tx.one<{ used: number; all_in_all: number; oldest: number | null }>(sql`
    select count(distinct w.up_to) as used, count(*) as all_in_all, min(w.head) as oldest
    from wakes w
    where w.organization = ${organization} and w.member = ${member} and w.head > ${after} and w.path <> 'tool' and ${counts(tx)}`);
  const { used = 0, all_in_all = 0, oldest } = row ?? {};
  return { used: Math.max(used, Math.floor(all_in_all / SESSIONS_AS_ONE)), oldest: oldest ?? 0 };
}

/** Up to where a session was woken for, or shown, what happens in a room (0: its person's questions). Sessions without a name are not known apart. */
export async function findSeen(tx: Tx, sleeper: Sleeper, room: number): Promise<number> {
  const { organization, member, session, credential } = sleeper;
  if (session === "-") return 0;
  const row = await tx.one<{ woken: number | null; shown: number | null }>(sql`
    select (
        select max(w.up_to)
        from wakes w
        where w.organization = ${organization} and w.member = ${member} and w.session = ${session} and w.room = ${room}
          and w.refused is null) as woken,
      (
        select max(p.position)
        from places p
        where p.organization = ${organization} and p.credential = ${credential} and p.session = ${session}
          and p.room = ${room}) as shown`);
  return Math.max(row?.woken ?? 0, row?.shown ?? 0);
}

/** Notes that a session was woken for what lies up to a position, or why not. */
export async function insertWake(
  tx: Tx,
  { organization, member, session, path }: Sleeper,
  wake: { room: number; upTo: number; head: number; hops: number; refused: Refusal | null },
): Promise<void> {
  await tx.run(sql`
    insert into wakes (organization, member, session, path, room, up_to, head, hops, at, refused)
    values (${organization}, ${member}, ${session}, ${path}, ${wake.room}, ${wake.upTo}, ${wake.head}, ${wake.hops}, ${tx.now},
      ${wake.refused})
    on conflict (organization, member, session, path, room, up_to) do update
    set head = excluded.head, hops = excluded.hops, at = excluded.at, refused = excluded.refused, rearmed_at = null`);
}

/** The newest refusal within the hour: of a chain in a room, or of a member's budget. */
export async function findRefusal(
  tx: Tx,
  { organization, member }: Pick<Sleeper, "organization" | "member">,
  room: number,
  refused: Refusal,
): Promise<number | undefined> {
  const whose = refused === "budget" ? sql`and w.member = ${member}` : sql.nothing;
  const row = await tx.one<{ head: number }>(sql`
    select w.head
    from wakes w
    where w.organization = ${organization} and w.room = ${room} and w.refused = ${refused} ${whose}
      and w.rearmed_at is null and w.at > ${tx.now - COUNTED_MS}
    order by w.head desc
    limit 1`);
  return row?.head;
}

/** Whether anything is noted of a member that a person's coming would change. */
export async function hasWakes(tx: Tx, organization: string, member: string): Promise<boolean> {
  const row = await tx.one(sql`
    select 1 as one
    from wakes w
    where w.organization = ${organization} and w.member = ${member} and w.rearmed_at is null and w.at > ${tx.now - COUNTED_MS}
    order by w.head desc
    limit 1`);
  return row !== undefined;
}

/** A person came to a session of this member: what it was woken for before counts no more. */
export async function rearm(tx: Tx, organization: string, member: string): Promise<void> {
  await tx.run(sql`
    update wakes
    set rearmed_at = ${tx.now}
    where organization = ${organization} and member = ${member} and rearmed_at is null`);
}

/** Which of these members are not woken now, and why; the newest refusal that no wake-up followed. */
export async function listPaused(
  tx: Tx,
  organization: string,
  members: readonly string[],
): Promise<Map<string, Refusal>> {
  if (members.length === 0) return new Map();
  const rows = await tx.all<{ member: string; refused: Refusal }>(sql`
    select w.member, w.refused
    from wakes w
    where w.organization = ${organization} and w.member in (${sql.list(members)}) and w.refused is not null
      and w.rearmed_at is null and w.at > ${tx.now - COUNTED_MS}
      and not exists (
        select 1
        from wakes n
        where n.organization = w.organization and n.member = w.member and n.refused is null and n.head > w.head)`);
  return new Map(rows.map(({ member, refused }) => [member, refused]));
}

/** The persons that these members belong to. */
export async function listOwners(tx: Tx, organization: string, members: readonly string[]): Promise<string[]> {
  const rows = await tx.all<{ owner: string }>(sql`
    select distinct owner
    from members
    where organization = ${organization} and handle in (${sql.list(members)}) and owner is not null
    order by owner`);
  return rows.map(({ owner }) => owner);
}

/** Drops what counts no more. It is kept a little longer, so that a session is not woken again for the same. */
export async function forgetOldWakes(tx: Tx, organization: string): Promise<void> {
  await tx.run(sql`delete from wakes where organization = ${organization} and at <= ${tx.now - 2 * COUNTED_MS}`);
}
