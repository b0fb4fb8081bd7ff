import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** At most so many leases are ended in one transaction; the next round takes the rest. */
const MOST_AT_ONCE = 200;

/** Calls of the holder's session, by tool, hook or browser: a watcher alone renews nothing. `-` is a session nobody knows, so any of the member's. */
const HOLDERS_CALLS = sql`
  presence p
  where p.organization = tasks.organization and p.member = tasks.assignee
    and (p.session = tasks.holder_session or tasks.holder_session = '-') and p.path in ('tool', 'hook', 'browser')`;

/** When the holder's session last called (ms), as a column of `tasks`. */
export const HOLDER_SEEN = sql`(select max(p.seen_at) from ${HOLDERS_CALLS})`;

/** A condition on `tasks`: held under a lease that has ended, whatever is written about it. */
export function leaseEnded(tx: Tx): Sql {
  return sql`(tasks.claimed_at is not null and tasks.lease_ms is not null and tasks.status in ('in_progress', 'blocked')
    and tasks.claimed_at + tasks.lease_ms <= ${tx.now}
    and not exists (select 1 from ${HOLDERS_CALLS} and p.seen_at + tasks.lease_ms > ${tx.now}))`;
}

/** Whose ended leases: of one room, of one task in it, or of one member. */
export interface LeaseScope {
  readonly room?: number;
  readonly task?: number;
  readonly holder?: string;
}

export interface EndedLease {
  readonly room: number;
  readonly number: number;
  readonly created_by: string;
  readonly responsible: string | null;
  readonly last_holder: string;
}

/** Frees the tasks whose lease has ended; a renewal or a claim that came first wins. */
export async function freeEndedTasks(tx: Tx, organization: string, scope: LeaseScope): Promise<EndedLease[]> {
  const ended = await listEndedTasks(tx, organization, scope);
  // Looked for first, and named one by one: Postgres may plan the two in one statement as held tasks times held tasks.
  if (ended.length === 0) return [];
  const named = sql.join(
    ended.map(({ room, number }) => sql`(room = ${room} and number = ${number})`),
    " or ",
  );
  return tx.all<EndedLease>(sql`
    update tasks
    set status = case when status = 'in_progress' then 'pending' else status end, last_holder = assignee, assignee = null,
      holder_session = null, claimed_at = null, lease_ms = null, version = version + 1, updated_at = ${tx.now}
    where organization = ${organization} and (${named}) and ${leaseEnded(tx)}
    returning room, number, created_by, responsible, last_holder`);
}

function listEndedTasks(tx: Tx, organization: string, { room, task, holder }: LeaseScope) {
  const scope = [
    ...(room === undefined ? [] : [sql`and room = ${room}`]),
    ...(task === undefined ? [] : [sql`and number = ${task}`]),
    ...(holder === undefined ? [] : [sql`and assignee = ${holder}`]),
  ];
  return tx.all<{ room: number; number: number }>(sql`
    select room, number
    from tasks
    where organization = ${organization} ${sql.join(scope, " ")} and ${leaseEnded(tx)}
    limit ${MOST_AT_ONCE}`);
}

/** The organizations that have something to free. */
export async function listOrganizationsWithEndedLeases(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ organization: string }>(sql`
    select distinct organization
    from tasks
    where ${leaseEnded(tx)}
    order by organization`);
  return rows.map((row) => row.organization);
}
