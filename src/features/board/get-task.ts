import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { writtenBytes } from "../../core/frame.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { leaseWarning } from "./leases.ts";
import { findTask, listNotes } from "./queries.ts";
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
    task: task.extend({ notes: z.array(note), body_cut: z.string().optional() }),
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
    const { tx, caller, room, answerBytes } = context;
    const row = await findTask(tx, caller.organization, room.id, task_id);
    if (!row) throw fail("task_not_found", { task: task_id, room: room.name });
    const query = { since: since_note, before: before_note, limit: limit + 1 };
    const found = (await listNotes(tx, caller.organization, room.id, task_id, query)).map(toNote);
    const whole = toTask(row, room.name, tx.now);
    // The task is the one item that the first page has whatever it weighs; on a further page that is a note.
    const least = since_note === undefined && before_note === undefined ? 0 : 1;
    const shown = least === 0 ? whole : besides(found[0], whole, answerBytes);
    const { page, hasMore } = fitPage(found, limit, answerBytes - writtenBytes(shown), least);
    const warning = whole.assignee === caller.handle ? leaseWarning(row, tx.now) : undefined;
    return {
      room: room.name,
      you_are: caller.handle,
      task: { ...shown, notes: since_note === undefined ? page.toReversed() : [...page] },
      has_more: hasMore,
      next: hasMore ? nextPage(page, found, since_note !== undefined) : null,
      ...(warning && { _warning: warning }),
    };
  },
});

type Note = z.input<typeof note>;
type Task = z.input<typeof task> & { body_cut?: string };

/** The task as it stands beside a note: its body gives way where both are more than a page. */
function besides(first: Note | undefined, whole: Task, bytes: number): Task {
  const fits = first === undefined || fitPage([first], 1, bytes - writtenBytes(whole), 0).page.length === 1;
  if (fits || whole.body === "") return whole;
  return { ...whole, body: "", body_cut: "Call get_task without since_note and before_note for the body." };
}

function nextPage(page: readonly Note[], [newest]: readonly Note[], forth: boolean) {
  const last = page.at(-1);
  if (last) return forth ? { since_note: last.id } : { before_note: last.id };
  // The task alone filled the first page.
  return newest ? { before_note: newest.id + 1 } : null;
}
