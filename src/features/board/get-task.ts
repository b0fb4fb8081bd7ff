import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { leaseWarning } from "./leases.ts";
import { findTask, listNotes, type NoteQuery } from "./queries.ts";
import { note, task, toNote, toTask, UNTRUSTED_IN_TASK } from "./task-answer.ts";
import { taskId } from "./task-fields.ts";

export const getTask = defineRoomOperation({
  name: "get_task",
  title: "Read a task",
  description: "One task with its notes, oldest first: the latest ones, unless since_note or before_note is given.",
  kind: "query",
  needs: "read",
  input: z.object({
    task_id: taskId,
    since_note: z.int().min(0).optional(),
    before_note: z.int().min(1).optional(),
    limit: pageSize(PAGES.notes),
  }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    task: task.extend({ notes: z.array(note) }),
    has_more: z.boolean(),
    next: z
      .object({ since_note: z.int() })
      .or(z.object({ before_note: z.int() }))
      .nullable(),
    _warning: z.string().optional(),
  }),
  errors: ["task_not_found"],
  untrusted: [...UNTRUSTED_IN_TASK, "task.notes[].body"],
  example: { task_id: 1 },

  async run(context, { task_id, since_note, before_note, limit }) {
    const { tx, caller, room } = context;
    const row = await findTask(tx, caller.organization, room.id, task_id);
    if (!row) throw fail("task_not_found", { task: task_id, room: room.name });
    const answer = toTask(row, room.name, tx.now);
    const left = context.answerBytes - Buffer.byteLength(JSON.stringify(answer));
    const { notes, ...rest } = await readNotes(
      context,
      task_id,
      { since: since_note, before: before_note, limit: limit + 1 },
      left,
    );
    const warning = answer.assignee === caller.handle ? leaseWarning(row, tx.now) : undefined;
    return {
      room: room.name,
      you_are: caller.handle,
      task: { ...answer, notes },
      ...rest,
      ...(warning && { _warning: warning }),
    };
  },
});

async function readNotes({ tx, caller, room }: RoomContext, number: number, query: NoteQuery, bytes: number) {
  const rows = await listNotes(tx, caller.organization, room.id, number, query);
  const { page, hasMore } = fitPage(rows.map(toNote), query.limit - 1, bytes);
  const last = page.at(-1);
  if (query.since !== undefined)
    return { notes: [...page], has_more: hasMore, next: hasMore && last ? { since_note: last.id } : null };
  return { notes: page.toReversed(), has_more: hasMore, next: hasMore && last ? { before_note: last.id } : null };
}
