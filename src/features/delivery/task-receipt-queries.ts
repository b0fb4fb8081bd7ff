import type { EventKind } from "../../core/events.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** What can hand a task to somebody. */
export const HANDS_ON: ReadonlySet<EventKind> = new Set(["task_created", "task_updated", "task_released"]);

/** Where they were handed over: in a room, by a path, to a session. */
interface TaskPlace {
  readonly organization: string;
  readonly room: number;
  readonly path: string;
  readonly session: string;
}

/** An event of a task, by its position in the log. */
export interface TaskEvent {
  readonly position: number;
  readonly task: number;
}

/** Writes receipts for events that hand a task on. Those of a task that was removed get none. */
export async function recordTaskHandovers(
  tx: Tx,
  { organization, room, path, session }: TaskPlace,
  member: string,
  events: readonly TaskEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.run(sql`
    insert into task_receipts (organization, position, member, room, task, handed_over_at, handed_over_path, handed_over_session)
    select e.organization, e.position, cast(${member} as text), e.room, e.task, cast(${tx.now} as bigint), cast(${path} as text),
      cast(${session} as text)
    ${eventsOfTasks(organization, room, events)}
    on conflict (organization, position, member) do update
    set handed_over_at = excluded.handed_over_at,
      handed_over_path = excluded.handed_over_path,
      handed_over_session = excluded.handed_over_session
    where task_receipts.handed_over_at is null`);
}

/** Notes by which path a member was woken for them first. */
export async function recordTaskNudges(
  tx: Tx,
  organization: string,
  room: number,
  nudge: { readonly member: string; readonly path: string },
  events: readonly TaskEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await tx.run(sql`
    insert into task_receipts (organization, position, member, room, task, nudged_at, nudged_path)
    select e.organization, e.position, cast(${nudge.member} as text), e.room, e.task, cast(${tx.now} as bigint),
      cast(${nudge.path} as text)
    ${eventsOfTasks(organization, room, events)}
    on conflict (organization, position, member) do update
    set nudged_at = excluded.nudged_at, nudged_path = excluded.nudged_path
    where task_receipts.nudged_at is null`);
}

function eventsOfTasks(organization: string, room: number, events: readonly TaskEvent[]): Sql {
  return sql`
    from events e
    join tasks t on t.organization = e.organization and t.room = e.room and t.number = e.task
    where e.organization = ${organization} and e.room = ${room}
      and e.position in (${sql.list(events.map(({ position }) => position))})`;
}

/** How far a task's last hand-over came to who has it now. `claimed_at`: that one took it up. */
export interface TaskReceiptRow {
  readonly member: string;
  readonly nudged_at: number | null;
  readonly nudged_path: string | null;
  readonly handed_over_at: number | null;
  readonly handed_over_path: string | null;
  readonly handed_over_session: string | null;
  readonly acknowledged_at: number | null;
}

/** Events of a task looked at for its hand-over; older ones are not looked for. */
const MOST_EVENTS = 500;

/** Undefined when nobody else handed it to who has it. A handle may have "_", which stands for any character in "like". */
export async function findTaskReceipt(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
): Promise<TaskReceiptRow | undefined> {
  return tx.one<TaskReceiptRow>(sql`
    select t.assignee as member, r.nudged_at, r.nudged_path, r.handed_over_at, r.handed_over_path, r.handed_over_session,
      t.claimed_at as acknowledged_at
    from tasks t
    cross join (
      select position, kind, concerns, actor
      from events
      where organization = ${organization} and room = ${room} and task = ${task}
      order by position desc
      limit ${MOST_EVENTS}) e
    left join task_receipts r
      on r.organization = t.organization and r.position = e.position and r.member = t.assignee
    where t.organization = ${organization} and t.room = ${room} and t.number = ${task} and e.actor <> t.assignee
      and e.kind in (${sql.list([...HANDS_ON])})
      and ' ' || e.concerns || ' ' like '% ' || replace(t.assignee, '_', '!_') || ' %' escape '!'
    order by e.position desc
    limit 1`);
}
