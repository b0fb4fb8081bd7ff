import { hash } from "node:crypto";
import { type Sql, sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";
import { fail } from "./errors.ts";
import { AUDITED, type EventKind, type LoggedEvent, type NewEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

/** The one who does what no caller asked for: ended leases, upgrades. A reserved handle, so no member has it. */
export const HUB = "crewroom";

/**
 * Tells that events happened. They are written at the end of the commit, in the transaction of what they tell. Positions
 * are dense and in commit order: the counter's row is locked until the commit, and is raised only here.
 */
export function appendEvents(tx: Tx, organization: string, by: Author | string, events: readonly NewEvent[]): void {
  const author = typeof by === "string" ? { handle: by, credential: HUB, address: "-" } : by;
  for (const event of events) {
    const { kind, only, room, question } = event;
    // In a room everybody there would read it, and without a question the organization's readers would.
    if (only && (room !== undefined || question === undefined)) throw new Error(`${kind} is not for some only.`);
    tx.atEnd(writeEvents, { organization, at: event.at ?? tx.now, author, event });
  }
  tx.wakeAfterCommit();
}

/** Who did something, with what and from where; a caller is one. A bare handle is one of the hub's own process. */
export interface Author {
  readonly handle: string;
  readonly credential: string;
  readonly address: string;
}

interface Happened {
  readonly organization: string;
  readonly at: number;
  readonly author: Author;
  readonly event: NewEvent;
}

/** One statement takes at most so many rows: Postgres counts the values of a statement with sixteen bits. */
const MOST_ROWS = 1_000;

/** Raises each counter once and writes the rows together, so that a shared commit costs two statements. */
async function writeEvents(tx: Tx, happened: readonly Happened[]): Promise<void> {
  for (const [organization, mine] of Map.groupBy(happened, (one) => one.organization)) {
    const log = await tx.one<{ position: number }>(sql`
      update logs
      set position = position + ${mine.length}
      where organization = ${organization}
      returning position`);
    if (!log) throw new Error(`Organization ${organization} has no log.`);
    const first = log.position - mine.length + 1;
    const rows = mine.map((one, index) => eventRow(one, first + index));
    for (let from = 0; from < rows.length; from += MOST_ROWS) await insertRows(tx, rows.slice(from, from + MOST_ROWS));
    const readers = mine.flatMap(({ event }, index) =>
      (event.only ?? []).map((member) => ({ member, at: first + index })),
    );
    for (let from = 0; from < readers.length; from += MOST_ROWS)
      await insertReaders(tx, organization, readers.slice(from, from + MOST_ROWS));
  }
}

/** Notes which persons may know of which positions. What is for an agent is for the person it belongs to. */
async function insertReaders(tx: Tx, organization: string, readers: readonly { member: string; at: number }[]) {
  const told = readers.map(({ member, at }) => sql`(${member}, cast(${at} as bigint))`);
  await tx.run(sql`
    with told (member, position) as (values ${sql.join(told)})
    insert into personal_events (organization, member, position)
    select distinct m.organization, coalesce(m.owner, m.handle), told.position
    from told
    join members m on m.organization = ${organization} and m.handle = told.member`);
}

async function insertRows(tx: Tx, rows: readonly StoredEvent[]): Promise<void> {
  const values = rows.map((row) => [
    row.organization,
    row.position,
    row.room,
    row.at,
    row.kind,
    row.actor,
    row.task,
    row.message,
    row.file,
    row.question,
    row.detail,
    row.concerns,
    row.credential,
    row.address,
    row.content_hash,
    row.hash,
  ]);
  await tx.run(sql`
    insert into events
      (organization, position, room, at, kind, actor, task, message, file, question, detail, concerns, credential, address,
        content_hash, hash)
    values ${sql.rows(values)}`);
}

/**
 * Takes the text of a message out of the event that told of it. The row keeps its place and its digest, which then stands for
 * what was there: `redacted_at` says that it can no longer be recomputed.
 */
export async function redactMessage(tx: Tx, organization: string, room: number, message: number): Promise<void> {
  await tx.run(sql`
    update events
    set detail = '', redacted_at = ${tx.now}
    where organization = ${organization} and room = ${room} and message = ${message} and kind = 'message'`);
}

/** Which events a reader asks for. `before`/`after` are positions, both left out of the answer. */
export interface EventQuery {
  readonly organization: string;
  /** One room, or null for what concerns the organization as a whole; what only some may know is in neither. */
  readonly room: number | null;
  /** With room null: what this person may know of questions, and nothing else. */
  readonly member?: string | undefined;
  readonly after?: number;
  readonly before?: number;
  readonly kind?: string | undefined;
  readonly task?: number | undefined;
  /** Leave out what this member did; with `member` also what that person and its agents did, unless it is especially for this one. */
  readonly notBy?: string | undefined;
  readonly limit: number;
}

/** Events in the order they were committed, oldest first. */
export async function listEvents(tx: Tx, query: EventQuery): Promise<LoggedEvent[]> {
  const rows = await tx.all<EventRow>(sql`
    ${eventsOf(query)}
    where ${matching(query)}
    order by position
    limit ${query.limit}`);
  return rows.map(toEvent);
}

/** The newest events, still oldest first. */
export async function listNewestEvents(tx: Tx, query: EventQuery): Promise<LoggedEvent[]> {
  const rows = await tx.all<EventRow>(sql`
    ${eventsOf(query)}
    where ${matching(query)}
    order by position desc
    limit ${query.limit}`);
  return rows.map(toEvent).reverse();
}

/** How many events match, counted no further than `query.limit`. */
export async function countEvents(tx: Tx, query: EventQuery): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from (${eventsOf(query)} where ${matching(query)} limit ${query.limit}) counted`);
  return row?.count ?? 0;
}

/** Where a log stands: its epoch, its last position, and the oldest one whose content is still kept. */
export interface LogHead {
  readonly epoch: string;
  readonly position: number;
}

export async function readHead(tx: Tx, organization: string): Promise<LogHead> {
  const head = await tx.one<LogHead>(sql`select epoch, position from logs where organization = ${organization}`);
  if (!head) throw new Error(`Organization ${organization} has no log.`);
  return head;
}

/** A reader's place as clients see it: opaque to them, `<epoch>.<position>` to us. */
export function cursorOf(head: LogHead, position: number): string {
  return `${head.epoch}.${position}`;
}

/**
 * The position that a client's cursor, or an event id, stands for.
 *
 * @throws HubError `unknown_cursor` (not ours), `epoch_changed` (history was replaced), `cursor_ahead` (never handed out).
 */
export function positionOf(head: LogHead, cursor: string | number): number {
  const match = /^(?:([0-9a-z]{8,32})\.)?(0|[1-9]\d{0,15})$/.exec(String(cursor));
  if (!match) throw fail("unknown_cursor", { problem: "is not one of this hub's" });
  const [, epoch, digits] = match;
  if (epoch !== undefined && epoch !== head.epoch)
    throw fail("epoch_changed", { epoch: head.epoch, head: head.position });
  const position = Number(digits);
  if (position > head.position) throw fail("cursor_ahead", { head: head.position });
  return position;
}

/** The digest `verify` recomputes: over everything that the row tells, the digest of the text included. */
export function hashOfEvent(row: Omit<StoredEvent, "hash">): string {
  const { organization, position, room, at, kind, actor, task, message, file, question } = row;
  const numbers = [task, message, file, question];
  const rest = [row.detail, row.concerns, row.credential, row.address, row.content_hash];
  return hash("sha256", JSON.stringify([organization, position, room, at, kind, actor, numbers, ...rest]), "hex");
}

/** Cuts text to at most `most` code points, never through a character. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : Array.from(text).slice(0, most).join("");
}

interface EventRow extends Omit<LoggedEvent, "concerns"> {
  readonly concerns: string;
}

interface StoredEvent {
  organization: string;
  position: number;
  room: number | null;
  at: number;
  kind: EventKind;
  actor: string;
  task: number | null;
  message: number | null;
  file: number | null;
  question: number | null;
  detail: string;
  concerns: string;
  credential: string | null;
  address: string | null;
  content_hash: string | null;
  hash: string;
}

function eventRow({ organization, at, author, event }: Happened, position: number): StoredEvent {
  const { kind, room = null, task = null, message = null, file = null, question = null, content } = event;
  const row = {
    organization,
    position,
    room,
    at,
    kind,
    actor: event.actor ?? author.handle,
    task,
    message,
    file,
    question,
    detail: cutText((event.detail ?? "").replace(/\s+/g, " ").trim(), LIMITS.eventDetail),
    concerns: [...new Set(event.concerns ?? [])].slice(0, LIMITS.concernsPerEvent).join(" "),
    credential: AUDITED.has(kind) ? author.credential : null,
    address: AUDITED.has(kind) ? author.address : null,
    content_hash: content === undefined ? (event.contentHash ?? null) : hash("sha256", content, "hex"),
  };
  return { ...row, hash: hashOfEvent(row) };
}

const COLUMNS = sql`e.room, e.at, e.kind, e.actor, e.task, e.message, e.file, e.question, e.detail, e.concerns`;
const FROM_LOG = sql`select e.position as position, ${COLUMNS} from events e`;
// "cross": SQLite would else go through everybody's part of the log, and look up whom each row is for.
const FROM_PERSONAL = sql`select p.position as position, ${COLUMNS} from personal_events p cross join events e`;

/** A person's events are found by the rows that name it, which are in the log's order too. */
function eventsOf({ member }: EventQuery): Sql {
  return member === undefined ? FROM_LOG : FROM_PERSONAL;
}

/** Room and organization are part of every condition, so that no reader can forget them. What was pruned is told to nobody. */
function matching(query: EventQuery): Sql {
  const { kind, task, notBy } = query;
  const conditions = [
    scope(query),
    sql`e.pruned_at is null`,
    ...positions(query),
    ...(kind === undefined ? [] : [sql`e.kind = ${kind}`]),
    ...(task === undefined ? [] : [sql`e.task = ${task}`]),
    ...(notBy === undefined ? [] : [doneBySomebodyElse(query, notBy)]),
  ];
  return sql.join(conditions, " and ");
}

function toEvent(row: EventRow): LoggedEvent {
  return { ...row, concerns: row.concerns === "" ? [] : row.concerns.split(" ") };
}

function scope({ organization, room, member }: EventQuery): Sql {
  if (member !== undefined)
    return sql`p.organization = ${organization} and p.member = ${member} and e.organization = p.organization and e.position = p.position`;
  if (room !== null) return sql`e.organization = ${organization} and e.room = ${room}`;
  return sql`e.organization = ${organization} and e.room is null and e.question is null`;
}

/** A person and its agents are one side of a question: what one of them does is no news to the others. */
function doneBySomebodyElse({ member }: EventQuery, reader: string): Sql {
  if (member === undefined) return sql`e.actor <> ${reader}`;
  // A handle may have "_", which stands for any character here.
  const named = `% ${reader.replaceAll("_", "!_")} %`;
  return sql`e.actor <> ${reader} and (' ' || e.concerns || ' ' like ${named} escape '!' or not exists (
    select 1
    from members m
    where m.organization = e.organization and m.handle = e.actor and (m.handle = ${member} or m.owner = ${member})))`;
}

function positions({ member, after, before }: EventQuery): Sql[] {
  if (member !== undefined)
    return [sql`p.position > ${after ?? 0}`, sql`p.position < ${before ?? Number.MAX_SAFE_INTEGER}`];
  // With two comparisons instead of "between", SQLite goes through the whole organization's log and filters the room.
  if (after !== undefined && before !== undefined) return [sql`e.position between ${after + 1} and ${before - 1}`];
  if (after !== undefined) return [sql`e.position > ${after}`];
  return before === undefined ? [] : [sql`e.position < ${before}`];
}
