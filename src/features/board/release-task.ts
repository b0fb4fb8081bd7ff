import { z } from "zod";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { leaseEndOf } from "./leases.ts";
import { decide } from "./model.ts";
import { concerned, findPeople, peopleOf } from "./people.ts";
import { insertNote, type TaskRow, writeTask } from "./queries.ts";
import { changedTo, findStandingTask, refuseStaleClaim } from "./standing-task.ts";
import { actorOf, stateOf, task, toTask, UNTRUSTED_IN_TASK } from "./task-answer.ts";
import { claimNumber, expectedVersion, person, reason, taskId } from "./task-fields.ts";

export const releaseTask = defineRoomOperation({
  name: "release_task",
  title: "Release a task",
  description: "Gives back a task you hold; with to, hands it to that member. released false says why not.",
  kind: "command",
  needs: "write",
  input: z.object({
    task_id: taskId,
    reason: reason.optional().describe("Kept as a note"),
    to: person.optional(),
    claim_number: claimNumber.optional(),
    expected_version: expectedVersion.optional(),
  }),
  output: z.object({
    released: z.boolean(),
    reason: z.string().optional(),
    holder: z.string().nullable().optional(),
    lease_ends_at: isoMoment.nullable().optional(),
    your_expected_version: z.int().optional(),
    task,
  }),
  errors: ["task_not_found", "member_not_found", "claim_stale"],
  untrusted: UNTRUSTED_IN_TASK,
  example: { task_id: 1, reason: "Box2 is down for the day." },

  async run(context, { task_id, reason = "", to, claim_number, expected_version }) {
    const { tx, caller, room } = context;
    const row = await findStandingTask(context, task_id);
    refuseStaleClaim(row, claim_number);
    const people = await findPeople(context, { to });
    const kept = (why: string) => ({
      released: false,
      reason: why,
      holder: row.claimed_at === null ? null : row.assignee,
      lease_ends_at: toIso(leaseEndOf(row)),
      task: toTask(row, room.name, tx.now),
    });
    if (expected_version !== undefined && expected_version !== row.version) {
      const why = `your expected_version is ${expected_version}, the task's is ${row.version}`;
      return { ...kept(why), your_expected_version: expected_version };
    }
    const decision = decide(stateOf(row), "release", actorOf(caller), people.to ?? null);
    if (!decision.allowed)
      return kept(row.claimed_at === null ? `it is ${row.status} and nobody holds it` : `${row.assignee} holds it`);
    const noted = reason.trim() === "" ? undefined : reason;
    const change = {
      ...changedTo(row, decision.next, tx.now),
      last_note: row.last_note + (noted === undefined ? 0 : 1),
    };
    const written = await writeTask(tx, caller.organization, room.id, row, change);
    if (!written) return kept("it was changed meanwhile");
    await tellReleased(context, row, written, noted);
    return { released: true, task: toTask(written, room.name, tx.now) };
  },
});

async function tellReleased(context: RoomContext, before: TaskRow, after: TaskRow, reason: string | undefined) {
  const { tx, caller, room, emit } = context;
  const note = reason === undefined ? undefined : `released: ${reason}`;
  if (note !== undefined) await insertNote(tx, caller, room.id, after.number, { number: after.last_note, body: note });
  const detail = [after.assignee === null ? undefined : `to ${after.assignee}`, reason]
    .filter((part) => part !== undefined)
    .join(": ");
  const concerns = concerned(context, [...peopleOf(before), ...peopleOf(after)]);
  emit({
    kind: "task_released",
    room: room.id,
    task: after.number,
    detail,
    concerns,
    ...(note !== undefined && { content: note }),
  });
}
