import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

const LISTED = sql`string_agg(cast(f.number as text) || ':' || coalesce(cast(f.expires_at as text), ''), ',' order by f.number)`;

/** A column of `messages m`: its files, as `attachments.ts` reads them; null where there are none. */
export const FILES_OF_MESSAGE = sql`
  case when m.attached > 0 then (select ${LISTED}
    from message_files a
    join files f on f.organization = a.organization and f.room = a.room and f.number = a.file
    where a.organization = m.organization and a.room = m.room and a.message = m.number) end as files`;

/** The same of `tasks` under its own name. */
export const FILES_OF_TASK = sql`
  case when attached > 0 then (select ${LISTED}
    from task_files a
    join files f on f.organization = a.organization and f.room = a.room and f.number = a.file
    where a.organization = tasks.organization and a.room = tasks.room and a.task = tasks.number) end as files`;

/** What files are attached to. */
interface Place {
  readonly organization: string;
  readonly room: number;
  /** The message's or the task's number. */
  readonly number: number;
}

/** Attaches files to a message that was just written. */
export async function attachToMessage(tx: Tx, place: Place, files: readonly number[]): Promise<void> {
  if (files.length === 0) return;
  const { organization, room, number } = place;
  await tx.run(sql`
    insert into message_files (organization, room, message, file)
    values ${sql.rows(files.map((file) => [organization, room, number, file]))}`);
  await tx.run(sql`
    update messages set attached = ${files.length}
    where organization = ${organization} and room = ${room} and number = ${number}`);
}

/** Attaches these files to a task, and no others. */
export async function attachToTask(tx: Tx, place: Place, files: readonly number[]): Promise<void> {
  const { organization, room, number } = place;
  await tx.run(
    sql`delete from task_files where organization = ${organization} and room = ${room} and task = ${number}`,
  );
  if (files.length > 0)
    await tx.run(sql`
      insert into task_files (organization, room, task, file)
      values ${sql.rows(files.map((file) => [organization, room, number, file]))}`);
  await tx.run(sql`
    update tasks set attached = ${files.length}
    where organization = ${organization} and room = ${room} and number = ${number}`);
}
