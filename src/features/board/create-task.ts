import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { attachToTask } from "../files/attachment-queries.ts";
import { findAttachable } from "../files/attachments.ts";
import { tellClaimed } from "./claim-answer.ts";
import { takeTask } from "./claim-queries.ts";
import { refuseBadDependencies } from "./dependencies.ts";
import { insertDependencies, listUnfinished } from "./dependency-queries.ts";
import { leaseWords } from "./leases.ts";
import { concerned, findPeople, listNamed, peopleOf } from "./people.ts";
import { findTask, insertTask, type TaskRow } from "./queries.ts";
import { task, toTask } from "./task-answer.ts";
import { taskFields, title } from "./task-fields.ts";

const USUAL_PRIORITY = 2;

export const createTask = defineRoomOperation({
  name: "create_task",
  title: "Create a task",
  description: "Adds work to the board; claim makes you its holder at once. Gives back the task with its number.",
  kind: "command",
  needs: "write",
  input: z.object({ title, ...taskFields, claim: z.boolean().optional() }),
  output: z.object({ created: task, lease: z.string().optional() }),
  errors: ["dependency_not_found", "dependency_unfinished", "file_not_found", "member_not_found", "room_not_granted"],
  untrusted: [],
  example: { title: "Host the poller", body: "It should run on box2.", priority: 1, labels: ["ops"] },

  async run(context, { title, body = "", claim = false, ...input }) {
    const { tx, caller, room, settings } = context;
    const needs = [...new Set(input.depends_on ?? [])];
    const people = await findPeople(context, {
      assignee: input.assignee,
      responsible: input.responsible,
      reviewer: input.reviewer,
    });
    await refuseBadDependencies(context, null, needs);
    const attachable = await findAttachable(context, input.attachments);
    if (claim) await refuseUnclaimable(context, people.assignee, needs);
    const number = await insertTask(tx, caller, room, {
      title,
      body,
      assignee: people.assignee ?? null,
      responsible: people.responsible ?? null,
      reviewer: people.reviewer ?? null,
      priority: input.priority ?? USUAL_PRIORITY,
      labels: [...new Set(input.labels ?? [])],
      links: input.links ?? [],
    });
    if (!number) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    await insertDependencies(tx, caller.organization, room.id, number, needs);
    if (attachable.length > 0)
      await attachToTask(tx, { organization: caller.organization, room: room.id, number }, attachable);
    const won = claim ? await takeTask(tx, caller, settings, { room: room.id, task: number }) : undefined;
    const row = won ?? (await findTask(tx, caller.organization, room.id, number));
    if (!row) throw new Error(`Task ${number} is not there right after it was made.`);
    await tellCreated(context, row);
    if (!won) return { created: toTask(row, room.name, tx.now) };
    tellClaimed(context, won);
    return { created: toTask(won, room.name, tx.now), lease: leaseWords(won, settings) };
  },
});

async function refuseUnclaimable(
  { tx, caller, room }: RoomContext,
  assignee: string | null | undefined,
  needs: readonly number[],
) {
  if (assignee && assignee !== caller.handle)
    throw fail("bad_input", { field: "assignee", problem: "cannot be another member with claim" });
  const unfinished = await listUnfinished(tx, caller.organization, room.id, needs);
  if (unfinished.length > 0) throw fail("dependency_unfinished", { task: null, unfinished });
}

async function tellCreated(context: RoomContext, row: TaskRow) {
  const { emit, room } = context;
  const named = await listNamed(context, row.body);
  const concerns = concerned(context, [...peopleOf(row), ...named]);
  emit({ kind: "task_created", room: room.id, task: row.number, detail: row.title, concerns, content: row.body });
}
