import { fail } from "../../core/errors.ts";
import type { RoomContext } from "../../core/operation.ts";
import { endLeases, standingAt } from "./leases.ts";
import { findTask, type TaskChange, type TaskRow } from "./queries.ts";
import type { TaskState } from "./model.ts";

/**
 * The task to be changed. When its lease has ended and nobody wrote that yet, it is written now, with its event.
 *
 * @throws HubError `task_not_found`
 */
export async function findStandingTask(context: RoomContext, number: number): Promise<TaskRow> {
  const { tx, caller, room, emit } = context;
  const find = () => findTask(tx, caller.organization, room.id, number);
  const found = await find();
  if (!found) throw fail("task_not_found", { task: number, room: room.name });
  if (standingAt(found, tx.now) === found) return found;
  for (const event of await endLeases(tx, caller.organization, { room: room.id, task: number })) emit(event);
  return (await find()) ?? found;
}

/** The row as it is to be written once the rules led to `next`. A claim that goes on after a review begins its lease anew. */
export function changedTo(row: TaskRow, next: TaskState, now: number): TaskChange {
  const { status, assignee, responsible, reviewer, last_holder, claimed } = next;
  const backFromReview = row.status === "in_review" && status === "in_progress";
  const claim = claimed
    ? { holder_session: row.holder_session, claimed_at: backFromReview ? now : row.claimed_at, lease_ms: row.lease_ms }
    : { holder_session: null, claimed_at: null, lease_ms: null };
  return { ...row, status, assignee, responsible, reviewer, last_holder, ...claim };
}

/**
 * A number that stands for a claim which ended, by its lease, a release or a takeover, writes nothing any more.
 *
 * @throws HubError `claim_stale`
 */
export function refuseStaleClaim(row: TaskRow, yours: number | undefined) {
  if (yours === undefined || (yours === row.claim_number && row.claimed_at !== null)) return;
  throw fail("claim_stale", { task: row.number, yours, current: row.claim_number });
}
