import { IS_THERE } from "../../access/queries.ts";
import type { Caller, RoomRef } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { FILES_OF_MESSAGE } from "../files/attachment-queries.ts";
import { addRoomText, forgetRoomTexts } from "../search/room-texts.ts";

/** A message as it is kept. Moments are ms since 1970, UTC. */
export interface MessageRow {
  readonly number: number;
  readonly author: string;
  /** person, agent or webhook. */
  readonly author_kind: string;
  readonly at: number;
  readonly body: string;
  readonly reply_to: number | null;
  readonly thread: number;
  readonly retracted_at: number | null;
  readonly retracted_by: string | null;
  readonly files: string | null;
}

const KIND_OF_AUTHOR = sql`select k.kind from members k where k.organization = m.organization and k.handle = m.author`;
const MESSAGE_COLUMNS = sql`
  m.number, m.author, (${KIND_OF_AUTHOR}) as author_kind, m.at, m.body, m.reply_to, m.thread, m.retracted_at, m.retracted_by, ${FILES_OF_MESSAGE}`;

export function findMessage(
  tx: Tx,
  organization: string,
  room: number,
  number: number,
): Promise<MessageRow | undefined> {
  return tx.one<MessageRow>(sql`
    select ${MESSAGE_COLUMNS}
    from messages m
    where m.organization = ${organization} and m.room = ${room} and m.number = ${number}`);
}

export interface NewMessage {
  readonly body: string;
  readonly replyTo: number | undefined;
  readonly thread: number | undefined;
}

/** Writes a message with the room's next number. Gives nothing back when the room is gone. */
export async function insertMessage(
  tx: Tx,
  caller: Caller,
  room: RoomRef,
  message: NewMessage,
): Promise<number | undefined> {
  const counter = await tx.one<{ last_message: number }>(sql`
    update rooms as r
    set last_message = last_message + 1
    where r.organization = ${caller.organization} and r.id = ${room.id} and ${IS_THERE}
    returning last_message`);
  if (!counter) return undefined;
  const number = counter.last_message;
  await tx.run(sql`
    insert into messages (organization, room, number, author, at, body, reply_to, thread)
    values (${caller.organization}, ${room.id}, ${number}, ${caller.handle}, ${tx.now}, ${message.body},
      ${message.replyTo ?? null}, ${message.thread ?? number})`);
  const key = { organization: caller.organization, kind: "message", room: room.id, id: String(number) } as const;
  addRoomText(tx, key, message.body);
  return number;
}

export async function insertMentions(
  tx: Tx,
  organization: string,
  room: number,
  message: number,
  members: readonly string[],
): Promise<void> {
  if (members.length === 0) return;
  await tx.run(sql`
    insert into mentions (organization, room, message, member)
    values ${sql.rows(members.map((member) => [organization, room, message, member]))}`);
}

/** Which messages a reader asks for; `since` and `before` are numbers, both left out of the answer. */
export interface MessageQuery {
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly thread?: number | undefined;
  readonly mentioning?: string | undefined;
  readonly limit: number;
}

/** Messages after `since`, oldest first. */
export function listMessagesSince(
  tx: Tx,
  organization: string,
  room: number,
  query: MessageQuery,
): Promise<MessageRow[]> {
  return tx.all<MessageRow>(sql`
    select ${MESSAGE_COLUMNS}
    from messages m
    where ${matching(organization, room, query)}
    order by m.number
    limit ${query.limit}`);
}

/** The newest messages (before `before`), newest first. */
export function listNewestMessages(
  tx: Tx,
  organization: string,
  room: number,
  query: MessageQuery,
): Promise<MessageRow[]> {
  return tx.all<MessageRow>(sql`
    select ${MESSAGE_COLUMNS}
    from messages m
    where ${matching(organization, room, query)}
    order by m.number desc
    limit ${query.limit}`);
}

/** The messages with these numbers, oldest first. */
export function listMessagesByNumbers(
  tx: Tx,
  organization: string,
  room: number,
  numbers: readonly number[],
): Promise<MessageRow[]> {
  return tx.all<MessageRow>(sql`
    select ${MESSAGE_COLUMNS}
    from messages m
    where m.organization = ${organization} and m.room = ${room} and m.number in (${sql.list(numbers)})
    order by m.number`);
}

/** The number of the room's newest message; 0 when there is none. */
export async function findLatestNumber(tx: Tx, organization: string, room: number): Promise<number> {
  const row = await tx.one<{ last_message: number }>(sql`
    select last_message from rooms where organization = ${organization} and id = ${room}`);
  return row?.last_message ?? 0;
}

/** Takes a message back if the caller wrote it or is an admin, and it was not taken back before. */
export async function retract(tx: Tx, caller: Caller, room: number, number: number): Promise<MessageRow | undefined> {
  const mayRetract = caller.roles.has("admin") ? sql.nothing : sql`and author = ${caller.handle}`;
  const taken = await tx.one<MessageRow>(sql`
    update messages
    set body = '', attached = 0, retracted_at = ${tx.now}, retracted_by = ${caller.handle}
    where organization = ${caller.organization} and room = ${room} and number = ${number} and retracted_at is null ${mayRetract}
    returning number, author, at, body, reply_to, thread, retracted_at, retracted_by, null as files`);
  const key = { organization: caller.organization, kind: "message", room, id: String(number) } as const;
  if (taken) forgetRoomTexts(tx, [key]);
  return taken;
}

/** Whose tokens these are, by their hashes, within the organization. */
export async function listTokenOwners(tx: Tx, organization: string, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await tx.all<{ member: string }>(sql`
    select distinct member
    from tokens
    where organization = ${organization} and hash in (${sql.list(hashes)})`);
  return rows.map((row) => row.member);
}

function matching(organization: string, room: number, { since, before, thread, mentioning }: MessageQuery): Sql {
  const conditions = [
    sql`m.organization = ${organization} and m.room = ${room}`,
    ...(since === undefined ? [] : [sql`m.number > ${since}`]),
    ...(before === undefined ? [] : [sql`m.number < ${before}`]),
    ...(thread === undefined ? [] : [sql`m.thread = ${thread}`]),
    ...(mentioning === undefined
      ? []
      : [
          sql`exists (
        select 1
        from mentions n
        where n.organization = m.organization and n.room = m.room and n.message = m.number and n.member = ${mentioning})`,
        ]),
  ];
  return sql.join(conditions, " and ");
}
