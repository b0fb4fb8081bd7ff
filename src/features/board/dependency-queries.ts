import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Which of these numbers are no tasks of the room. */
export async function listMissingTasks(
  tx: Tx,
  organization: string,
  room: number,
  numbers: readonly number[],
): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await tx.all<{ number: number }>(sql`
    select number
    from tasks
    where organization = ${organization} and room = ${room} and number in (${sql.list(numbers)})`);
  const found = new Set(rows.map((row) => row.number));
  return numbers.filter((number) => !found.has(number));
}

/** Which of these tasks are not done. */
export async function listUnfinished(
  tx: Tx,
  organization: string,
  room: number,
  numbers: readonly number[],
): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await tx.all<{ number: number }>(sql`
    select number
    from tasks
    where organization = ${organization} and room = ${room} and number in (${sql.list(numbers)}) and status <> 'done'
    order by number`);
  return rows.map((row) => row.number);
}

export async function replaceDependencies(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
  needs: readonly number[],
): Promise<void> {
  await tx.run(
    sql`delete from dependencies where organization = ${organization} and room = ${room} and task = ${task}`,
  );
  await tx.run(sql`
    update tasks
    set depends_on = ''
    where organization = ${organization} and room = ${room} and number = ${task}`);
  await insertDependencies(tx, organization, room, task, needs);
}

export async function insertDependencies(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
  needs: readonly number[],
): Promise<void> {
  if (needs.length === 0) return;
  await tx.run(sql`
    insert into dependencies (organization, room, task, needs)
    values ${sql.rows(needs.map((needed) => [organization, room, task, needed]))}`);
  // Beside the edges, so that a list of tasks need not gather them task by task: that was half of its cost.
  await tx.run(sql`
    update tasks
    set depends_on = ${needs.toSorted((a, b) => a - b).join(",")}
    where organization = ${organization} and room = ${room} and number = ${task}`);
}

/**
 * These tasks and what they need, directly or not: `most` of them at most, none before one that needs it.
 *
 * `union` drops what was seen, so it ends on any graph; both databases stop it once the outer limit is reached. `cross join`
 * keeps SQLite from walking all edges at every step.
 */
export async function listReached(
  tx: Tx,
  organization: string,
  room: number,
  from: readonly number[],
  most: number,
): Promise<number[]> {
  const rows = await tx.all<{ number: number }>(sql`
    with recursive reached(number) as (
      select number
      from tasks
      where organization = ${organization} and room = ${room} and number in (${sql.list(from)})
      union
      select d.needs
      from reached r
      cross join dependencies d
      where d.organization = ${organization} and d.room = ${room} and d.task = r.number)
    select number
    from reached
    limit ${most}`);
  return rows.map((row) => row.number);
}

/** What these tasks need. */
export function listEdges(
  tx: Tx,
  organization: string,
  room: number,
  tasks: readonly number[],
): Promise<{ task: number; needs: number }[]> {
  return tx.all(sql`
    select task, needs
    from dependencies
    where organization = ${organization} and room = ${room} and task in (${sql.list(tasks)})
    order by task, needs`);
}

/** Who made the open tasks that wait for this one. */
export async function listDependentsCreators(
  tx: Tx,
  organization: string,
  room: number,
  task: number,
  limit: number,
): Promise<string[]> {
  const rows = await tx.all<{ created_by: string }>(sql`
    select distinct t.created_by
    from dependencies d
    join tasks t on t.organization = d.organization and t.room = d.room and t.number = d.task
    where d.organization = ${organization} and d.room = ${room} and d.needs = ${task} and t.status not in ('done', 'cancelled')
    order by t.created_by
    limit ${limit}`);
  return rows.map((row) => row.created_by);
}
