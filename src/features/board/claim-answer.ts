import { z } from "zod";
import type { RoomContext } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { leaseEndOf, leaseWarning, leaseWords, toLeaseEnded } from "./leases.ts";
import { concerned } from "./people.ts";
import type { TaskRow } from "./queries.ts";
import { task, toTask } from "./task-answer.ts";

/** What a claim answers, won or lost. Losing is an answer, not an error. */
export const claimAnswer = z.object({
  next: z.string().optional(),
  claimed: z.boolean(),
  reason: z.string().optional(),
  claim_number: z.int().optional(),
  lease: z.string().optional(),
  holder: z.string().nullable().optional(),
  holder_session: z.string().optional(),
  held_since: isoMoment.optional(),
  lease_ends_at: isoMoment.nullable().optional(),
  task: task.optional(),
  _warning: z.string().optional(),
});
export type ClaimAnswer = z.input<typeof claimAnswer>;

/** The answer of a holder: how long the claim lasts and the number that later writes may carry. */
export function heldAnswer({ tx, room, settings }: RoomContext, row: TaskRow): ClaimAnswer {
  const warning = leaseWarning(row, tx.now);
  return {
    claimed: true,
    claim_number: row.claim_number,
    lease_ends_at: toIso(leaseEndOf(row)),
    lease: leaseWords(row, settings),
    task: toTask(row, room.name, tx.now),
    ...(warning && { _warning: warning }),
  };
}

/** Tells of a claim that won, and of the ended lease it took, if it did. */
export function tellClaimed(context: RoomContext, row: TaskRow) {
  const { emit, room } = context;
  const { number, created_by, responsible, last_holder } = row;
  if (last_holder !== null) emit(toLeaseEnded({ room: room.id, number, created_by, responsible, last_holder }));
  emit({ kind: "task_claimed", room: room.id, task: number, concerns: concerned(context, [created_by, responsible]) });
}
