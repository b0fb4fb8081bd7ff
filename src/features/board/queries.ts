import { IS_THERE } from "../../access/queries.ts";
import type { Caller, RoomRef } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { addRoomText, changeRoomText, taskText } from "../search/room-texts.ts";
import { FILES_OF_TASK } from "../files/attachment-queries.ts";
import { HOLDER_SEEN, leaseEnded } from "./lease-queries.ts";
import type { Status } from "./model.ts";

/** A task as it is kept. Moments are ms since 1970, UTC. */
export interface TaskRow {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly status: Status;
  readonly assignee: string | null;
  readonly holder_session: string | null;
  readonly responsible: string | null;
  readonly reviewer: string | null;
  readonly priority: number;
  /** JSON lists of texts. */
  readonly labels: string;
  readonly links: string;
  readonly version: number;
  readonly created_by: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly claim_number: number;
  /** Null unless somebody holds the task. */
  readonly claimed_at: number | null;
  /** Null: the claim has no end. */
  readonly lease_ms: number | null;
  readonly last_holder: string | null;
  readonly last_note: number;
  /** When the holder's session last called. */
  readonly holder_seen: number | null;
  /** Numbers by commas; the table `dependencies` has the same, to be asked from both ends. */
  readonly depends_on: string;
  readonly unfinished: string | null;
  readonly files: string | null;
}

/** What `TaskRow` has, of the table `tasks` under its own name: it stands in `returning` too, where there is no alias. */
export const TASK_COLUMNS = sql`
  number, title, body, status, assignee, holder_session, responsible, reviewer, priority, labels, links, version,
  created_by, created_at, updated_at, claim_number, claimed_at, lease_ms, last_holder, last_note, depends_on,
  case when claimed_at is not null then ${HOLDER_SEEN} end as holder_seen,
  case when depends_on <> '' then (select string_agg(cast(d.needs as text), ',' order by d.needs)
    from dependencies d
    join tasks n on n.organization = d.organization and n.room = d.room and n.number = d.needs
    where d.organization = tasks.organization and d.room = tasks.room and d.task = tasks.number and n.status <> 'done') end as unfinished,
  ${FILES_OF_TASK}`;

/** The task with this number as it is kept: a lease that has ended may still stand in it. */
export function findTask(tx: Tx, organization: string, room: number, number: number): Promise<TaskRow | undefined> {
  return tx.one<TaskRow>(sql`
    select ${TASK_COLUMNS}
    from tasks
    where organization = ${organization} and room = ${room} and number = ${number}`);
}

export interface TaskQuery {
  readonly status?: Status | "open" | undefined;
  readonly assignee?: string | undefined;
  readonly label?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Tasks, newest first. A task whose lease has ended counts as what it is by now: free. */
export function listTaskRows(tx: Tx, organization: string, room: number, query: TaskQuery): Promise<TaskRow[]> {
  return tx.all<TaskRow>(sql`
    select ${TASK_COLUMNS}
    from tasks
    where organization = ${organization} and room = ${room} ${matching(tx, query)}
    order by number desc
    limit ${query.limit}`);
}

function matching(tx: Tx, { status, assignee, label, before }: TaskQuery): Sql {
  const conditions = [
    ...(status === undefined ? [] : [standing(tx, status)]),
    ...(assignee === undefined ? [] : [sql`assignee = ${assignee} and not ${leaseEnded(tx)}`]),
    ...(before === undefined ? [] : [sql`number < ${before}`]),
    ...(label === undefined
      ? []
      : [
          sql`exists (
        select 1
        from task_labels l
        where l.organization = tasks.organization and l.room = tasks.room and l.task = tasks.number and l.label = ${label})`,
        ]),
  ];
  return sql.join(
    conditions.map((condition) => sql`and ${condition}`),
    " ",
  );
}

function standing(tx: Tx, status: Status | "open"): Sql {
  if (status === "open") return sql`status in ('pending', 'in_progress', 'blocked', 'in_review')`;
  if (status === "pending") return sql`(status = 'pending' or (status = 'in_progress' and ${leaseEnded(tx)}))`;
  if (status === "in_progress") return sql`status = 'in_progress' and not ${leaseEnded(tx)}`;
  return sql`status = ${status}`;
}

/** What a new task begins with. */
export interface NewTask {
  readonly title: string;
  readonly body: string;
  readonly assignee: string | null;
  readonly responsible: string | null;
  readonly reviewer: string | null;
  readonly priority: number;
  readonly labels: readonly string[];
  readonly links: readonly string[];
}

/** Makes a task under the room's next number. Gives no number when the room is gone. */
export async function insertTask(tx: Tx, caller: Caller, room: RoomRef, task: NewTask): Promise<number | undefined> {
  const counted = await tx.one<{ last_task: number }>(sql`
    update rooms as r
    set last_task = last_task + 1
    where r.organization = ${caller.organization} and r.id = ${room.id} and ${IS_THERE}
    returning last_task`);
  if (!counted) return undefined;
  await tx.run(sql`
    insert into tasks
      (organization, room, number, title, body, status, assignee, responsible, reviewer, priority, labels, links,
        version, created_by, created_at, updated_at)
    values (${caller.organization}, ${room.id}, ${counted.last_task}, ${task.title}, ${task.body}, 'pending', ${task.assignee},
      ${task.responsible}, ${task.reviewer}, ${task.priority}, ${JSON.stringify(task.labels)}, ${JSON.stringify(task.links)},
      1, ${caller.handle}, ${tx.now}, ${tx.now})`);
  await insertLabels(tx, caller.organization, room.id, counted.last_task, task.labels);
  const text = taskText({ ...task, labels: JSON.stringify(task.labels) });
  addRoomText(tx, keyOf(caller.organization, room.id, counted.last_task), text);
  return counted.last_task;
}

/** Everything about a task that an update may change. */
export interface TaskChange extends Omit<NewTask, "labels" | "links"> {
  readonly status: Status;
  readonly labels: string;
  readonly links: string;
  readonly holder_session: string | null;
  readonly claimed_at: number | null;
  readonly lease_ms: number | null;
  readonly last_holder: string | null;
  readonly last_note: number;
}

/** Writes a task, if it still is as it was read: version, holder and claim. Gives the new row, or nothing when something slipped between. */
export async function writeTask(
  tx: Tx,
  organization: string,
  room: number,
  read: TaskRow,
  change: TaskChange,
): Promise<TaskRow | undefined> {
  const written = await tx.one<TaskRow>(sql`
    update tasks
    set title = ${change.title}, body = ${change.body}, status = ${change.status}, assignee = ${change.assignee},
      holder_session = ${change.holder_session}, responsible = ${change.responsible}, reviewer = ${change.reviewer},
      priority = ${change.priority}, labels = ${change.labels}, links = ${change.links}, claimed_at = ${change.claimed_at},
      lease_ms = ${change.lease_ms}, last_holder = ${change.last_holder}, last_note = ${change.last_note},
      version = version + 1, updated_at = ${tx.now}
    where organization = ${organization} and room = ${room} and number = ${read.number}
      and version = ${read.version} and claim_number = ${read.claim_number} and assignee is not distinct from ${read.assignee}
    returning ${TASK_COLUMNS}`);
  const text = taskText(change);
  if (written && text !== taskText(read)) changeRoomText(tx, keyOf(organization, room, read.number), text);
  return written;
}

/** Under what a task is found. */
function keyOf(organization: string, room: number, task: number) {
  return { organization, kind: "task", room, id: String(task) } as const;
}

export async function replaceLabels(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
  labels: readonly string[],
): Promise<void> {
  await tx.run(sql`delete from task_labels where organization = ${organization} and room = ${room} and task = ${task}`);
  await insertLabels(tx, organization, room, task, labels);
}

async function insertLabels(tx: Tx, organization: string, room: number, task: number, labels: readonly string[]) {
  if (labels.length === 0) return;
  await tx.run(sql`
    insert into task_labels (organization, room, task, label)
    values ${sql.rows(labels.map((label) => [organization, room, task, label]))}`);
}

/** A note as it is kept. */
export interface NoteRow {
  readonly number: number;
  readonly author: string;
  readonly at: number;
  readonly body: string;
}

/** Counts a note on a task, whoever holds it. Gives its number and the task's people; nothing when there is no such task. */
export function countNote(tx: Tx, organization: string, room: number, task: number) {
  return tx.one<{
    last_note: number;
    version: number;
    created_by: string;
    responsible: string | null;
    assignee: string | null;
  }>(sql`
    update tasks
    set last_note = last_note + 1, version = version + 1, updated_at = ${tx.now}
    where organization = ${organization} and room = ${room} and number = ${task}
    returning last_note, version, created_by, responsible, assignee`);
}

export async function insertNote(
  tx: Tx,
  caller: Caller,
  room: number,
  task: number,
  note: { number: number; body: string },
): Promise<void> {
  await tx.run(sql`
    insert into notes (organization, room, task, number, author, at, body)
    values (${caller.organization}, ${room}, ${task}, ${note.number}, ${caller.handle}, ${tx.now}, ${note.body})`);
  const key = { organization: caller.organization, kind: "note", room, id: `${task}.${note.number}` } as const;
  addRoomText(tx, key, note.body);
}

export interface NoteQuery {
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A task's notes: after `since`, oldest first; without it the newest (before `before`), newest first. */
export function listNotes(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
  query: NoteQuery,
): Promise<NoteRow[]> {
  const { since, before } = query;
  const after = since === undefined ? sql.nothing : sql`and number > ${since}`;
  const until = before === undefined ? sql.nothing : sql`and number < ${before}`;
  return tx.all<NoteRow>(sql`
    select number, author, at, body
    from notes
    where organization = ${organization} and room = ${room} and task = ${task} ${after} ${until}
    order by number ${since === undefined ? sql`desc` : sql`asc`}
    limit ${query.limit}`);
}
