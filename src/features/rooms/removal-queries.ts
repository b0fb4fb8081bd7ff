import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { dropRoomTexts } from "../search/queries.ts";
import { forgetRoomTexts, type RoomTextKey } from "../search/room-texts.ts";
import { type RoomLog, pruneEvents } from "./pruning-queries.ts";
import { listOldest, removeFiles, removeMessages } from "./retention-queries.ts";

/** How much there is in a room. */
export type RoomCounts = Record<"notes" | "tasks" | "messages" | "files", number>;

export async function countInRoom(tx: Tx, { organization, room }: RoomLog): Promise<RoomCounts> {
  const which = sql`where organization = ${organization} and room = ${room}`;
  const counts = await tx.one<RoomCounts>(sql`
    select (select count(*) from notes ${which}) as notes, (select count(*) from tasks ${which}) as tasks,
      (select count(*) from messages ${which}) as messages, (select count(*) from files ${which}) as files`);
  if (!counts) throw new Error("A query without a condition gave no row.");
  return counts;
}

/**
 * Takes a room from everybody for good: nobody may enter it, nobody finds it, its name is free. What is in it goes page by page; see
 * `removePage`. False when it was gone.
 */
export async function closeRoom(tx: Tx, { organization, room }: RoomLog): Promise<boolean> {
  const closed = await tx.run(sql`
    update rooms
    set name = '#' || cast(id as text), description = '', repo_url = '', onboarding_notes = '', retention_days = null
    where organization = ${organization} and id = ${room} and name not like '#%'`);
  if (closed === 0) return false;
  const which = sql`where organization = ${organization} and room = ${room}`;
  await tx.run(sql`delete from token_rooms ${which}`);
  await tx.run(sql`delete from person_rooms ${which}`);
  await tx.run(sql`delete from places ${which}`);
  await tx.run(sql`delete from hooks ${which}`);
  await tx.run(sql`delete from followers ${which}`);
  await tx.run(sql`
    update tokens set default_room = null
    where organization = ${organization} and default_room = ${room}`);
  return true;
}

/** The closed rooms of all organizations. */
export function listClosedRooms(tx: Tx): Promise<RoomLog[]> {
  return tx.all<RoomLog>(sql`
    select organization, id as room
    from rooms
    where name like '#%'
    order by organization, id`);
}

/** Rows that one page removes. */
const PAGE = 200;
/** Of files fewer, for their bytes make it slow. */
const FILES_PAGE = 20;

/** Removes some of what is in a closed room, and at last the room. Gives whether there is more. */
export async function removePage(tx: Tx, log: RoomLog): Promise<boolean> {
  const { organization, room } = log;
  const row = await tx.one<{ pruned_to: number }>(sql`
    select pruned_to
    from rooms
    where organization = ${organization} and id = ${room} and name like '#%'`);
  if (!row) return false;
  const events = await listOldest(tx, log, row.pruned_to, PAGE);
  const last = events.at(-1);
  // What the log tells of goes together with what it tells; after it, what it has no word of.
  if (last) {
    await removeAll(tx, log, {
      messages: events.flatMap(({ kind, message }) => (kind === "message" && message !== null ? [message] : [])),
      files: events.flatMap(({ kind, file }) => (kind === "file_added" && file !== null ? [file] : [])),
      tasks: [],
    });
    await pruneEvents(tx, log, last.position);
    return true;
  }
  const left = {
    messages: await firstIn(tx, log, "messages"),
    tasks: await firstIn(tx, log, "tasks"),
    files: await firstIn(tx, log, "files"),
  };
  await removeAll(tx, log, left);
  if (Object.values(left).some((rows) => rows.length > 0)) return true;
  dropRoomTexts(tx, organization, room);
  await tx.run(sql`delete from rooms where organization = ${organization} and id = ${room}`);
  return false;
}

type Numbers = Record<"messages" | "tasks" | "files", readonly number[]>;

async function removeAll(tx: Tx, log: RoomLog, { messages, tasks, files }: Numbers): Promise<void> {
  if (messages.length > 0) await removeMessages(tx, log, messages);
  if (tasks.length > 0) await removeTasks(tx, log, tasks);
  if (files.length > 0) await removeFiles(tx, log, files);
}

const FIRST = {
  messages: sql`select number from messages`,
  tasks: sql`select number from tasks`,
  files: sql`select number from files`,
} as const;

async function firstIn(tx: Tx, { organization, room }: RoomLog, table: keyof typeof FIRST): Promise<number[]> {
  const rows = await tx.all<{ number: number }>(sql`
    ${FIRST[table]}
    where organization = ${organization} and room = ${room}
    order by number
    limit ${table === "files" ? FILES_PAGE : PAGE}`);
  return rows.map(({ number }) => number);
}

/** Removes tasks, with their notes and all that hangs on them. */
async function removeTasks(tx: Tx, log: RoomLog, numbers: readonly number[]): Promise<void> {
  const { organization, room } = log;
  const notes = await tx.all<{ task: number; number: number }>(sql`
    select task, number
    from notes
    where organization = ${organization} and room = ${room} and task in (${sql.list(numbers)})`);
  const keys: RoomTextKey[] = [
    ...numbers.map((number): RoomTextKey => ({ ...log, kind: "task", id: String(number) })),
    ...notes.map(({ task, number }): RoomTextKey => ({ ...log, kind: "note", id: `${task}.${number}` })),
  ];
  for (let from = 0; from < keys.length; from += PAGE) forgetRoomTexts(tx, keys.slice(from, from + PAGE));
  await tx.run(sql`
    delete from tasks
    where organization = ${organization} and room = ${room} and number in (${sql.list(numbers)})`);
}
