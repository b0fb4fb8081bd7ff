import type { Caller, RuleSettings } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { PATH_LIVES_MS } from "../delivery/queries.ts";
import { leaseEnded } from "./lease-queries.ts";
import { TASK_COLUMNS, type TaskRow } from "./queries.ts";

/** How long (ms) a claim lasts where nothing tells the holder that it is needed. */
export const LEASE_WITHOUT_PATH_MS = 4 * 3_600_000;

export interface ClaimWish {
  readonly room: number;
  readonly task: number;
  readonly expected?: number | undefined;
}

/**
 * Makes the caller the holder if the task is free by now, ready, and not kept for another. One statement decides, so one caller wins.
 * In the row that comes back, `last_holder` is whose ended lease was taken, else null.
 */
export function takeTask(
  tx: Tx,
  caller: Caller,
  settings: RuleSettings,
  { room, task, expected }: ClaimWish,
): Promise<TaskRow | undefined> {
  const asExpected = expected === undefined ? sql.nothing : sql`and version = ${expected}`;
  return tx.one<TaskRow>(sql`
    update tasks
    set ${held(tx, caller, settings)}
    where organization = ${caller.organization} and room = ${room} and number = ${task} ${asExpected}
      and ${claimable(tx, caller)} and ${READY}
    returning ${TASK_COLUMNS}`);
}

/** The same for the most urgent pending task that carries all these labels. */
export function takeNextTask(
  tx: Tx,
  caller: Caller,
  settings: RuleSettings,
  room: number,
  labels: readonly string[],
): Promise<TaskRow | undefined> {
  const labelled =
    labels.length === 0
      ? sql.nothing
      : sql`and (
    select count(*)
    from task_labels l
    where l.organization = tasks.organization and l.room = tasks.room and l.task = tasks.number
      and l.label in (${sql.list(labels)})) = ${labels.length}`;
  return tx.one<TaskRow>(sql`
    update tasks
    set ${held(tx, caller, settings)}
    where organization = ${caller.organization} and room = ${room} and ${claimable(tx, caller)} and number = (
      select number
      from tasks
      where organization = ${caller.organization} and room = ${room} and status = 'pending'
        and (assignee is null or assignee = ${caller.handle}) and ${READY} ${labelled}
      order by priority, number
      limit 1)
    returning ${TASK_COLUMNS}`);
}

/** Takes a held task from the holder that was read, which only an admin or the holder's other session may. */
export function takeOverTask(
  tx: Tx,
  caller: Caller,
  settings: RuleSettings,
  room: number,
  read: TaskRow,
): Promise<TaskRow | undefined> {
  return tx.one<TaskRow>(sql`
    update tasks
    set ${held(tx, caller, settings)}
    where organization = ${caller.organization} and room = ${room} and number = ${read.number}
      and claim_number = ${read.claim_number} and claimed_at is not null and status in ('in_progress', 'blocked')
    returning ${TASK_COLUMNS}`);
}

/** What a claim writes; every value on the right is the row's as it was. */
function held(tx: Tx, caller: Caller, settings: RuleSettings): Sql {
  return sql`last_holder = case when claimed_at is not null then assignee end,
    assignee = ${caller.handle}, holder_session = ${caller.session}, status = 'in_progress', claimed_at = ${tx.now},
    lease_ms = ${leaseLength(tx, caller, settings)}, claim_number = claim_number + 1, version = version + 1, updated_at = ${tx.now}`;
}

/** The room's own length (0: none); else short while something reaches the caller's session, long while nothing does. */
function leaseLength(tx: Tx, caller: Caller, settings: RuleSettings): Sql {
  const ofSession = caller.session === "-" ? sql.nothing : sql`and p.session = ${caller.session}`;
  return sql`(
    select case
      when r.lease_minutes is not null then cast(nullif(r.lease_minutes, 0) as bigint) * 60000
      when exists (
        select 1
        from presence p
        where p.organization = r.organization and p.member = ${caller.handle} ${ofSession}
          and p.path in ('watch', 'bridge', 'hook') and p.seen_at > ${tx.now - PATH_LIVES_MS})
      then cast(${settings.leaseMinutes * 60_000} as bigint)
      else cast(${LEASE_WITHOUT_PATH_MS} as bigint) end
    from rooms r
    where r.organization = tasks.organization and r.id = tasks.room)`;
}

function claimable(tx: Tx, caller: Caller): Sql {
  return sql`((status in ('pending', 'blocked') and claimed_at is null and (assignee is null or assignee = ${caller.handle}))
    or ${leaseEnded(tx)})`;
}

const READY = sql`not exists (
  select 1
  from dependencies d
  join tasks n on n.organization = d.organization and n.room = d.room and n.number = d.needs
  where d.organization = tasks.organization and d.room = tasks.room and d.task = tasks.number and n.status <> 'done')`;
