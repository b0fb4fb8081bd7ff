import { sql } from "../../store/sql.ts";
import { StoreSetupError, type Tx } from "../../store/store.ts";
import { addRoomText, taskText } from "../search/room-texts.ts";

/** Where something goes. */
export interface RoomKey {
  readonly organization: string;
  readonly room: number;
}

/** The room's next number of a kind. @throws StoreSetupError when the room was deleted since an earlier run made it. */
async function nextNumber(tx: Tx, { organization, room }: RoomKey, kind: "task" | "message" | "file"): Promise<number> {
  const counters = {
    task: sql`last_task = last_task + 1`,
    message: sql`last_message = last_message + 1`,
    file: sql`last_file = last_file + 1`,
  };
  const row = await tx.one<{ last_task: number; last_message: number; last_file: number }>(sql`
    update rooms
    set ${counters[kind]}
    where organization = ${organization} and id = ${room}
    returning last_task, last_message, last_file`);
  if (!row)
    throw new StoreSetupError(
      `A room that an earlier import brought to ${organization} was deleted here. Name another --source to bring all of it again.`,
    );
  return { task: row.last_task, message: row.last_message, file: row.last_file }[kind];
}

export interface OldTask {
  readonly title: string;
  readonly body: string;
  readonly status: "pending" | "in_progress" | "blocked" | "done" | "cancelled";
  readonly assignee: string | null;
  readonly version: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly priority: number;
  /** How long (ms) its holder keeps it from now on. */
  readonly lease_ms: number;
}

/** A task as it stood: its holder holds it from now on, whoever finished one is its last holder. */
export async function insertOldTask(tx: Tx, key: RoomKey, task: OldTask): Promise<number> {
  const number = await nextNumber(tx, key, "task");
  const closed = task.status === "done" || task.status === "cancelled";
  const holds = task.assignee !== null && (task.status === "in_progress" || task.status === "blocked");
  await tx.run(sql`
    insert into tasks
      (organization, room, number, title, body, status, assignee, priority, labels, links, version, created_by, created_at,
        updated_at, claim_number, claimed_at, lease_ms, last_holder)
    values (${key.organization}, ${key.room}, ${number}, ${task.title}, ${task.body}, ${task.status},
      ${closed ? null : task.assignee}, ${task.priority}, '[]', '[]', ${task.version}, ${task.created_by}, ${task.created_at},
      ${task.updated_at}, ${holds ? 1 : 0}, ${holds ? tx.now : null}, ${holds ? task.lease_ms : null},
      ${closed ? task.assignee : null})`);
  const text = taskText({ title: task.title, body: task.body, labels: "[]" });
  addRoomText(tx, { ...key, kind: "task", id: String(number) }, text);
  return number;
}

export async function insertOldNote(
  tx: Tx,
  key: RoomKey & { readonly task: number },
  { author, at, body }: { author: string; at: number; body: string },
): Promise<number> {
  const row = await tx.one<{ last_note: number }>(sql`
    update tasks
    set last_note = last_note + 1
    where organization = ${key.organization} and room = ${key.room} and number = ${key.task}
    returning last_note`);
  if (!row) throw new Error(`Task ${key.task} went away while it was imported.`);
  await tx.run(sql`
    insert into notes (organization, room, task, number, author, at, body)
    values (${key.organization}, ${key.room}, ${key.task}, ${row.last_note}, ${author}, ${at}, ${body})`);
  const { organization, room, task } = key;
  addRoomText(tx, { organization, room, kind: "note", id: `${task}.${row.last_note}` }, body);
  return row.last_note;
}

export interface OldMessage {
  readonly author: string;
  readonly at: number;
  readonly body: string;
  readonly reply_to: number | null;
}

export async function insertOldMessage(tx: Tx, key: RoomKey, message: OldMessage): Promise<number> {
  const number = await nextNumber(tx, key, "message");
  const { author, at, body, reply_to } = message;
  await tx.run(sql`
    insert into messages (organization, room, number, author, at, body, reply_to, thread)
    values (${key.organization}, ${key.room}, ${number}, ${author}, ${at}, ${body}, ${reply_to}, coalesce((
      select p.thread
      from messages p
      where p.organization = ${key.organization} and p.room = ${key.room} and p.number = ${reply_to}), cast(${number} as bigint)))`);
  addRoomText(tx, { ...key, kind: "message", id: String(number) }, body);
  return number;
}

export interface OldFile {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  readonly sha256: string;
  readonly author: string;
  readonly at: number;
  readonly expires_at: number | null;
}

/** The row of a file; its bytes come apart. */
export async function insertOldFile(tx: Tx, key: RoomKey, file: OldFile): Promise<number> {
  const number = await nextNumber(tx, key, "file");
  await tx.run(sql`
    insert into files (organization, room, number, name, mime, size, sha256, author, at, expires_at)
    values (${key.organization}, ${key.room}, ${number}, ${file.name}, ${file.mime}, ${file.size}, ${file.sha256},
      ${file.author}, ${file.at}, ${file.expires_at})`);
  addRoomText(tx, { ...key, kind: "file", id: String(number) }, file.name);
  return number;
}

/** What a task needs, as it was; nothing is changed where it needs something already. */
export async function setNeeds(tx: Tx, key: RoomKey & { task: number }, needs: readonly number[]): Promise<boolean> {
  const set = await tx.run(sql`
    update tasks
    set depends_on = ${needs.join(",")}
    where organization = ${key.organization} and room = ${key.room} and number = ${key.task} and depends_on = ''`);
  if (set === 0) return false;
  for (const needed of needs) {
    await tx.run(sql`
      insert into dependencies (organization, room, task, needs)
      values (${key.organization}, ${key.room}, ${key.task}, ${needed})
      on conflict do nothing`);
  }
  return true;
}
