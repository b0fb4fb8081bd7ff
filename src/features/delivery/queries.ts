import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { mayEnter } from "../rooms/queries.ts";
import type { ReceiptTimes } from "./model.ts";
import { HANDS_ON, recordTaskHandovers } from "./task-receipt-queries.ts";

/** How long (ms) one proof of life holds: a path by which nothing was heard for longer is not counted on. */
export const PATH_LIVES_MS = 60_000;

/** By which paths something reaches a member now, and when anything was last heard from it (ms since 1970). */
export interface Reach {
  readonly paths: string[];
  readonly last_seen: number | null;
}

/**
 * How each of these members can be reached now: `tool`, `hook`, `watch`, `bridge`; by a browser it is seen and not reached.
 * Every handle asked for has an entry.
 */
export async function livePaths(tx: Tx, organization: string, handles: readonly string[]): Promise<Map<string, Reach>> {
  if (handles.length === 0) return new Map();
  const rows = await tx.all<PathRow>(sql`
    select member, path, max(seen_at) as seen_at
    from presence
    where organization = ${organization} and member in (${sql.list(handles)})
    group by member, path
    order by member, path`);
  return reachByMember(tx, handles, rows);
}

/** The same of persons, each reached by its own agents too: by what a question gets to its recipient. */
export async function reachOf(tx: Tx, organization: string, persons: readonly string[]): Promise<Map<string, Reach>> {
  if (persons.length === 0) return new Map();
  const rows = await tx.all<PathRow>(sql`
    select acting.person as member, p.path, max(p.seen_at) as seen_at
    from (
      ${actingFor(sql`handle`, organization, persons)}
      union all
      ${actingFor(sql`owner`, organization, persons)}) acting
    cross join presence p
    where p.organization = ${organization} and p.member = acting.handle
    group by acting.person, p.path
    order by acting.person, p.path`);
  return reachByMember(tx, persons, rows);
}

/** The members that are these persons, or their agents. Apart from presence, and "cross": else SQLite reads everybody's. */
function actingFor(person: Sql, organization: string, persons: readonly string[]): Sql {
  return sql`
    select handle, ${person} as person
    from members
    where organization = ${organization} and ${person} in (${sql.list(persons)}) and deactivated_at is null`;
}

/** When anything was last heard from a member by a path. */
interface PathRow {
  readonly member: string;
  readonly path: string;
  readonly seen_at: number;
}

function reachByMember(tx: Tx, handles: readonly string[], rows: readonly PathRow[]): Map<string, Reach> {
  const reach = new Map<string, Reach>(handles.map((handle) => [handle, { paths: [], last_seen: null }]));
  for (const { member, path, seen_at } of rows) {
    const known = reach.get(member);
    const isLive = path !== "browser" && seen_at > tx.now - PATH_LIVES_MS;
    const paths = [...(known?.paths ?? []), ...(isLive ? [path] : [])];
    reach.set(member, { paths, last_seen: Math.max(known?.last_seen ?? seen_at, seen_at) });
  }
  return reach;
}

/** Whose place it is: per credential, session, path and room (0: the reader's questions), so that no reader eats another's news. */
export interface PlaceKey {
  readonly organization: string;
  readonly credential: string;
  readonly session: string;
  readonly path: string;
  readonly room: number;
}

/** A reader's place. `position` is confirmed; up to `offered` was handed out at some time, last by node `offered_by`. */
export interface PlaceRow {
  readonly position: number;
  readonly offered: number;
  readonly offered_by: string;
  readonly offered_at: number;
  readonly welcomed_at: number | null;
}

export function findPlace(tx: Tx, key: PlaceKey): Promise<PlaceRow | undefined> {
  return tx.one<PlaceRow>(sql`
    select position, offered, offered_by, offered_at, welcomed_at
    from places
    where ${isPlace(key)}`);
}

/** Notes what is handed out now. Neither the place nor what was ever offered goes back. False when room or token are gone. */
export async function offer(
  tx: Tx,
  key: PlaceKey,
  { position, offered, node }: { position: number; offered: number; node: string },
): Promise<boolean> {
  const noted = await tx.run(sql`
    insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at)
    select t.organization, t.id, ${text(key.session)}, ${text(key.path)}, ${moment(key.room)}, ${moment(position)},
      ${moment(offered)}, ${text(node)}, ${moment(tx.now)}
    from tokens t
    where t.organization = ${key.organization} and t.id = ${key.credential}
      and (${moment(key.room)} = 0 or exists (
        select 1
        from rooms r
        where r.organization = t.organization and r.id = ${key.room}))
    on conflict (organization, credential, session, path, room) do update
    set position = case when places.position < excluded.position then excluded.position else places.position end,
      offered = case when places.offered < excluded.offered then excluded.offered else places.offered end,
      offered_by = excluded.offered_by,
      offered_at = excluded.offered_at`);
  return noted > 0;
}

/** Moves a place to what was confirmed, never back. */
export async function movePlace(tx: Tx, key: PlaceKey, position: number): Promise<void> {
  await tx.run(sql`
    update places
    set position = ${position}
    where ${isPlace(key)} and position < ${position}`);
}

export async function markWelcomed(tx: Tx, key: PlaceKey): Promise<void> {
  await tx.run(sql`
    update places
    set welcomed_at = ${tx.now}
    where ${isPlace(key)} and welcomed_at is null`);
}

/** Whether this credential was shown the room's information in any session. */
export async function isWelcomed(tx: Tx, { organization, credential, room }: PlaceKey): Promise<boolean> {
  const row = await tx.one(sql`
    select 1 as one
    from places
    where organization = ${organization} and credential = ${credential} and room = ${room} and welcomed_at is not null
    limit 1`);
  return row !== undefined;
}

/** How far the session's other paths have come; not all of what lies up to `passed_over` was shown. */
export interface ShownElsewhere {
  readonly position: number;
  readonly passed_over: number;
}

export async function findShown(
  tx: Tx,
  { organization, credential, session, path, room }: PlaceKey,
): Promise<ShownElsewhere> {
  const row = await tx.one<{ position: number | null; passed_over: number | null }>(sql`
    select max(position) as position, max(passed_over) as passed_over
    from places
    where organization = ${organization} and credential = ${credential} and session = ${session} and path <> ${path} and room = ${room}`);
  return { position: row?.position ?? 0, passed_over: row?.passed_over ?? 0 };
}

/** Writes receipts for the messages and the tasks handed on between two positions that are especially for this member. */
export async function recordHandovers(
  tx: Tx,
  key: PlaceKey,
  member: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const rows = await tx.all<ConcerningRow>(sql`
    select position, message, task, concerns
    from events
    where organization = ${key.organization} and room = ${key.room} and position between ${from + 1} and ${to}
      and kind in (${sql.list(["message", ...HANDS_ON])}) and concerns <> '' and actor <> ${member}`);
  const forMember = rows.filter((row) => row.concerns.split(" ").includes(member));
  const messages = forMember.flatMap(({ message }) => message ?? []);
  const tasks = forMember.flatMap(({ position, task }) => (task === null ? [] : [{ position, task }]));
  await recordTaskHandovers(tx, key, member, tasks);
  if (messages.length === 0) return;
  // From the messages themselves: one that retention has removed gets none.
  await tx.run(sql`
    insert into receipts (organization, room, message, member, handed_over_at, handed_over_path, handed_over_session)
    select m.organization, m.room, m.number, ${text(member)}, ${moment(tx.now)}, ${text(key.path)}, ${text(key.session)}
    from messages m
    where m.organization = ${key.organization} and m.room = ${key.room} and m.number in (${sql.list(messages)})
    on conflict (organization, room, message, member) do update
    set handed_over_at = excluded.handed_over_at,
      handed_over_path = excluded.handed_over_path,
      handed_over_session = excluded.handed_over_session
    where receipts.handed_over_at is null`);
}

interface ConcerningRow {
  readonly position: number;
  readonly message: number | null;
  readonly task: number | null;
  readonly concerns: string;
}

/** Says that a member has taken note of a message. Gives when it did so first. */
export async function acknowledgeMessage(
  tx: Tx,
  organization: string,
  room: number,
  message: number,
  member: string,
): Promise<number> {
  const row = await tx.one<{ acknowledged_at: number }>(sql`
    insert into receipts (organization, room, message, member, acknowledged_at)
    values (${organization}, ${room}, ${message}, ${member}, ${tx.now})
    on conflict (organization, room, message, member) do update
    set acknowledged_at = coalesce(receipts.acknowledged_at, excluded.acknowledged_at)
    returning acknowledged_at`);
  return row?.acknowledged_at ?? tx.now;
}

/** What is known of a message's way to one member. */
export interface ReceiptRow extends ReceiptTimes {
  readonly member: string;
  readonly nudged_path: string | null;
  readonly handed_over_path: string | null;
  readonly handed_over_session: string | null;
}

/** Those a message mentions and those it has reached, by handle after `after`. */
export function listReceipts(
  tx: Tx,
  message: { organization: string; room: number; number: number },
  after: string,
  limit: number,
): Promise<ReceiptRow[]> {
  const { organization, room, number } = message;
  return tx.all<ReceiptRow>(sql`
    select w.member, r.nudged_at, r.nudged_path, r.handed_over_at, r.handed_over_path, r.handed_over_session, r.acknowledged_at
    from (
      select n.member
      from mentions n
      where n.organization = ${organization} and n.room = ${room} and n.message = ${number} and n.member > ${after}
      union
      select k.member
      from receipts k
      where k.organization = ${organization} and k.room = ${room} and k.message = ${number} and k.member > ${after}) w
    left join receipts r
      on r.organization = ${organization} and r.room = ${room} and r.message = ${number} and r.member = w.member
    order by w.member
    limit ${limit}`);
}

/** A member who can enter a room; `last_seen_at` is when any of its tokens was last used. */
export interface AgentRow {
  readonly handle: string;
  readonly kind: string;
  readonly display_name: string;
  readonly owner: string | null;
  readonly last_seen_at: number | null;
}

/** Members who can enter a room, each once, by handle after `after`. */
export function listAgentsOf(
  tx: Tx,
  organization: string,
  room: number,
  after: string,
  limit: number,
): Promise<AgentRow[]> {
  return tx.all<AgentRow>(sql`
    select m.handle, m.kind, m.display_name, m.owner,
      (select max(t.last_seen_at) from tokens t where t.organization = m.organization and t.member = m.handle) as last_seen_at
    from members m
    where m.organization = ${organization} and m.handle > ${after} and ${mayEnter(tx, room)}
    order by m.handle
    limit ${limit}`);
}

function isPlace({ organization, credential, session, path, room }: PlaceKey): Sql {
  return sql`organization = ${organization} and credential = ${credential} and session = ${session} and path = ${path} and room = ${room}`;
}

// Postgres does not know what a selected parameter is.
function text(value: string): Sql {
  return sql`cast(${value} as text)`;
}
function moment(value: number): Sql {
  return sql`cast(${value} as bigint)`;
}
