import { HUB } from "../../core/event-log.ts";
import type { NewEvent } from "../../core/events.ts";
import type { RuleSettings } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { LEASE_WITHOUT_PATH_MS } from "./claim-queries.ts";
import { type EndedLease, freeEndedTasks, type LeaseScope } from "./lease-queries.ts";
import type { TaskRow } from "./queries.ts";

export { listOrganizationsWithEndedLeases } from "./lease-queries.ts";

/** A holder is warned when its lease ends within this (ms). */
const WARN_WITHIN_MS = 5 * 60_000;

/**
 * Gives tasks whose lease has ended back to the board: `in_progress` becomes `pending`, `blocked` stays so without a holder.
 *
 * @returns the events that tell of it, for the log in the same transaction; the rest waits for the next call when there are many.
 */
export async function endLeases(tx: Tx, organization: string, scope: LeaseScope = {}): Promise<NewEvent[]> {
  return (await freeEndedTasks(tx, organization, scope)).map(toLeaseEnded);
}

export function toLeaseEnded({ room, number, created_by, responsible, last_holder }: EndedLease): NewEvent {
  const concerns = [created_by, last_holder, ...(responsible === null ? [] : [responsible])];
  return { kind: "task_lease_ended", room, task: number, actor: HUB, detail: last_holder, concerns };
}

/** When the holder's lease ends (ms since 1970); null when nobody holds the task or its claim has no end. */
export function leaseEndOf({
  status,
  claimed_at,
  lease_ms,
  holder_seen,
}: Pick<TaskRow, "status" | "claimed_at" | "lease_ms" | "holder_seen">): number | null {
  if (claimed_at === null || lease_ms === null || (status !== "in_progress" && status !== "blocked")) return null;
  return Math.max(claimed_at, holder_seen ?? claimed_at) + lease_ms;
}

/** The task as it stands now: without the holder whose lease has ended, whether that was written already or not. */
export function standingAt(row: TaskRow, now: number): TaskRow {
  const end = leaseEndOf(row);
  if (end === null || end > now) return row;
  const status = row.status === "in_progress" ? "pending" : row.status;
  return {
    ...row,
    status,
    assignee: null,
    holder_session: null,
    claimed_at: null,
    lease_ms: null,
    last_holder: row.assignee,
  };
}

/** How long a claim lasts and why, for its holder. */
export function leaseWords({ lease_ms }: TaskRow, settings: RuleSettings): string {
  if (lease_ms === null) return "This room's claims have no end.";
  const length = `${lengthOf(lease_ms)} from your last tool or hook call`;
  if (lease_ms === settings.leaseMinutes * 60_000) return `${length}: a live delivery path reaches you.`;
  if (lease_ms === LEASE_WITHOUT_PATH_MS) return `${length}: no live delivery path reaches you.`;
  return `${length}: this room's setting.`;
}

/** The warning that a lease is about to end; undefined while there is time. */
export function leaseWarning(row: TaskRow, now: number): string | undefined {
  const end = leaseEndOf(row);
  if (end === null || end - now > WARN_WITHIN_MS) return undefined;
  return `Your lease ends in ${Math.max(0, Math.ceil((end - now) / 1_000))} seconds; any call of yours renews it.`;
}

function lengthOf(ms: number): string {
  const minutes = ms / 60_000;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}
