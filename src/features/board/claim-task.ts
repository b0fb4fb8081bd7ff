import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { toIso } from "../../core/fields.ts";
import { type ClaimAnswer, claimAnswer, heldAnswer, tellClaimed } from "./claim-answer.ts";
import { takeOverTask, takeTask } from "./claim-queries.ts";
import { leaseEndOf, standingAt } from "./leases.ts";
import { decide } from "./model.ts";
import { concerned } from "./people.ts";
import { findTask, type TaskRow } from "./queries.ts";
import { actorOf, numbersOf, stateOf, toTask, UNTRUSTED_IN_TASK } from "./task-answer.ts";
import { expectedVersion, taskId } from "./task-fields.ts";

export const claimTask = defineRoomOperation({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Makes you a free task's only holder, for a lease that your calls renew. claimed false says who holds it. Claiming your own again changes nothing.",
  kind: "command",
  needs: "write",
  bySession: true,
  always: true,
  input: z.object({
    task_id: taskId,
    expected_version: expectedVersion.optional(),
    take_over: z.boolean().optional().describe("From your own other session; an admin from anyone"),
  }),
  output: claimAnswer,
  errors: ["task_not_found", "dependency_unfinished"],
  untrusted: UNTRUSTED_IN_TASK,
  example: { task_id: 1 },

  async run(context, { task_id, expected_version, take_over = false }) {
    const { tx, caller, room, settings } = context;
    const wish = { room: room.id, task: task_id, expected: expected_version };
    const won = await takeTask(tx, caller, settings, wish);
    if (won) {
      tellClaimed(context, won);
      return heldAnswer(context, won);
    }
    const found = await findTask(tx, caller.organization, room.id, task_id);
    if (!found) throw fail("task_not_found", { task: task_id, room: room.name });
    const row = standingAt(found, tx.now);
    if (isMine(row, context) && !isOtherSession(row, context)) return heldAnswer(context, row);
    if (expected_version !== undefined && expected_version !== row.version) {
      return lost(context, row, `your expected_version is ${expected_version}, the task's is ${row.version}`);
    }
    return (take_over && (await takeOver(context, row))) || lostTo(context, row);
  },
});

function isMine({ claimed_at, assignee }: TaskRow, { caller }: RoomContext): boolean {
  return claimed_at !== null && assignee === caller.handle;
}

/** Only where both sessions are known can they be told apart. */
function isOtherSession({ holder_session }: TaskRow, { caller }: RoomContext): boolean {
  return (
    holder_session !== null && holder_session !== "-" && caller.session !== "-" && holder_session !== caller.session
  );
}

async function takeOver(context: RoomContext, row: TaskRow): Promise<ClaimAnswer | undefined> {
  const { tx, caller, room, settings, emit } = context;
  if (!decide(stateOf(row), "take_over", actorOf(caller)).allowed) return undefined;
  const taken = await takeOverTask(tx, caller, settings, room.id, row);
  if (!taken) return undefined;
  const concerns = concerned(context, [row.assignee, row.created_by, row.responsible]);
  emit({ kind: "task_claimed", room: room.id, task: row.number, detail: `taken over from ${row.assignee}`, concerns });
  return heldAnswer(context, taken);
}

/** Says why the claim did not win. @throws HubError `dependency_unfinished` when the task is free but not ready. */
function lostTo(context: RoomContext, row: TaskRow): ClaimAnswer {
  const { caller } = context;
  if (isMine(row, context)) {
    const since = toIso(row.claimed_at);
    const sibling = { holder_session: row.holder_session ?? "-", ...(since !== null && { held_since: since }) };
    return { ...lost(context, row, `another session of yours holds it; take_over: true takes it`), ...sibling };
  }
  if (row.claimed_at !== null)
    return lost(
      context,
      row,
      row.status === "in_review" ? `${row.assignee}'s work is in review` : `${row.assignee} holds it`,
    );
  const decision = decide(stateOf(row), "claim", actorOf(caller));
  if (decision.allowed)
    throw fail("dependency_unfinished", { task: row.number, unfinished: numbersOf(row.unfinished) });
  return lost(
    context,
    row,
    row.status === "pending" || row.status === "blocked" ? decision.problem : `it is ${row.status}`,
  );
}

function lost({ tx, room }: RoomContext, row: TaskRow, reason: string): ClaimAnswer {
  const holder = row.claimed_at === null ? null : row.assignee;
  return {
    next: LOST,
    claimed: false,
    reason,
    holder,
    lease_ends_at: toIso(leaseEndOf(row)),
    task: toTask(row, room.name, tx.now),
  };
}

const LOST = "Take another task with claim_next, or ask its holder to release_task it.";
