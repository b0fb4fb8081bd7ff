import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { attachToTask } from "../files/attachment-queries.ts";
import { findAttachable } from "../files/attachments.ts";
import { tellNoted } from "./add-note.ts";
import { refuseBadDependencies } from "./dependencies.ts";
import { listDependentsCreators, listUnfinished, replaceDependencies } from "./dependency-queries.ts";
import { leaseWarning } from "./leases.ts";
import { STATUSES } from "./model.ts";
import { concerned, findPeople, listNamed, peopleOf } from "./people.ts";
import { type Plan, planUpdate, type Wanted } from "./planned-update.ts";
import { findTask, insertNote, replaceLabels, type TaskRow, writeTask } from "./queries.ts";
import { changedTo, findStandingTask, refuseStaleClaim } from "./standing-task.ts";
import { actorOf, numbersOf, task, toTask } from "./task-answer.ts";
import { claimNumber, expectedVersion, noteBody, taskFields, taskId, title } from "./task-fields.ts";

const BLIND = "No expected_version was given: a change made since you read the task would have been overwritten.";

export const updateTask = defineRoomOperation({
  name: "update_task",
  title: "Change a task",
  description:
    "Changes the given fields; an empty text clears one. updated false gives the current task when your expected_version is old.",
  kind: "command",
  needs: "write",
  input: z.object({
    task_id: taskId,
    status: z.enum(STATUSES).optional(),
    title: title.optional(),
    ...taskFields,
    note: noteBody.optional(),
    expected_version: expectedVersion.optional(),
    claim_number: claimNumber.optional().describe("Refused once your claim ended"),
  }),
  output: z.object({
    updated: z.boolean(),
    reason: z.string().optional(),
    your_expected_version: z.int().optional(),
    current: task.optional(),
    task: task.optional(),
    _warning: z.string().optional(),
  }),
  errors: [
    "task_not_found",
    "task_move",
    "claim_stale",
    "dependency_unfinished",
    "dependency_not_found",
    "dependency_cycle",
    "file_not_found",
    "too_many",
    "member_not_found",
  ],
  untrusted: ["task.title", "task.body", "current.title", "current.body"],
  example: { task_id: 1, body: "It should run on box3." },

  async run(context, { task_id, note, expected_version, claim_number, ...input }) {
    const { tx, caller, room } = context;
    const row = await findStandingTask(context, task_id);
    refuseStaleClaim(row, claim_number);
    const stale = (reason: string, current: TaskRow) => ({
      updated: false,
      reason,
      ...(expected_version !== undefined && { your_expected_version: expected_version }),
      current: toTask(current, room.name, tx.now),
    });
    if (expected_version !== undefined && expected_version !== row.version) {
      return stale(`your expected_version is ${expected_version}, the task's is ${row.version}`, row);
    }
    const wanted = await readWanted(context, row, input);
    const plan = planUpdate(row, wanted, actorOf(caller));
    if (plan.needsDependencies) await refuseUnfinished(context, row, wanted);
    if (plan.changed.length === 0 && note === undefined) return stale("nothing to change", row);
    const written = await write(context, row, wanted, plan, note);
    if (!written)
      return stale("it was changed meanwhile", (await findTask(tx, caller.organization, room.id, task_id)) ?? row);
    const warning = [
      expected_version === undefined && BLIND,
      written.assignee === caller.handle && leaseWarning(written, tx.now),
    ];
    const _warning = warning.filter((words) => words).join(" ");
    return { updated: true, task: toTask(written, room.name, tx.now), ...(_warning && { _warning }) };
  },
});

interface Given extends Omit<Wanted, "assignee" | "responsible" | "reviewer"> {
  readonly assignee?: string | undefined;
  readonly responsible?: string | undefined;
  readonly reviewer?: string | undefined;
}

async function readWanted(context: RoomContext, row: TaskRow, input: Given): Promise<Wanted> {
  const { assignee, responsible, reviewer, depends_on, title, body, labels, attachments } = input;
  const needs = depends_on && [...new Set(depends_on)].sort((a, b) => a - b);
  if (needs) await refuseBadDependencies(context, row.number, needs);
  return {
    ...input,
    ...(await findPeople(context, { assignee, responsible, reviewer })),
    depends_on: needs,
    title,
    body,
    labels: labels && [...new Set(labels)],
    attachments: attachments && (await findAttachable(context, attachments)),
  };
}

async function refuseUnfinished({ tx, caller, room }: RoomContext, row: TaskRow, { depends_on }: Wanted) {
  const unfinished = depends_on
    ? await listUnfinished(tx, caller.organization, room.id, depends_on)
    : numbersOf(row.unfinished);
  if (unfinished.length > 0) throw fail("dependency_unfinished", { task: row.number, unfinished });
}

async function write(
  context: RoomContext,
  row: TaskRow,
  wanted: Wanted,
  { next, changed }: Plan,
  note: string | undefined,
) {
  const { tx, caller, room } = context;
  const {
    title = row.title,
    body = row.body,
    priority = row.priority,
    labels,
    links,
    depends_on,
    attachments,
  } = wanted;
  const written = await writeTask(tx, caller.organization, room.id, row, {
    ...changedTo(row, next, tx.now),
    title,
    body,
    priority,
    labels: labels ? JSON.stringify(labels) : row.labels,
    links: links ? JSON.stringify(links) : row.links,
    last_note: row.last_note + (note === undefined ? 0 : 1),
  });
  if (!written) return undefined;
  if (labels && changed.includes("labels")) await replaceLabels(tx, caller.organization, room.id, row.number, labels);
  if (changed.length > 0) await tellUpdated(context, row, written, changed);
  if (note !== undefined) {
    await insertNote(tx, caller, room.id, row.number, { number: written.last_note, body: note });
    await tellNoted(context, row.number, note, [row.created_by, row.responsible, row.assignee]);
  }
  const needsChanged = depends_on && changed.includes("depends_on");
  const filesChanged = attachments && changed.includes("attachments");
  if (!needsChanged && !filesChanged) return written;
  if (needsChanged) await replaceDependencies(tx, caller.organization, room.id, row.number, depends_on);
  if (filesChanged)
    await attachToTask(tx, { organization: caller.organization, room: room.id, number: row.number }, attachments);
  return findTask(tx, caller.organization, room.id, row.number);
}

async function tellUpdated(context: RoomContext, before: TaskRow, after: TaskRow, changed: Plan["changed"]) {
  const { tx, caller, room, emit } = context;
  const moved = before.status !== after.status;
  const newBody = changed.includes("body");
  const people = moved || changed.includes("assignee") ? [...peopleOf(before), ...peopleOf(after)] : [after.assignee];
  const named = changed.filter((field) => field === "responsible" || field === "reviewer").map((field) => after[field]);
  // Who made the tasks that waited for it decides what becomes of them.
  const held =
    after.status === "cancelled"
      ? await listDependentsCreators(tx, caller.organization, room.id, after.number, LIMITS.concernsPerEvent)
      : [];
  const mentioned = newBody ? await listNamed(context, after.body) : [];
  emit({
    kind: "task_updated",
    room: room.id,
    task: after.number,
    detail: moved ? `status=${after.status}` : changed.join(", "),
    concerns: concerned(context, [...people, ...named, ...held, ...mentioned]),
    ...(newBody && { content: after.body }),
  });
}
