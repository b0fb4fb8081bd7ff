import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { concerned, listNamed } from "./people.ts";
import { countNote, insertNote } from "./queries.ts";
import { noteBody, taskId } from "./task-fields.ts";

export const addNote = defineRoomOperation({
  name: "add_note",
  title: "Add a note to a task",
  description: "Writes a note on any task, whoever holds it. Its version goes up.",
  kind: "command",
  needs: "write",
  input: z.object({ task_id: taskId, body: noteBody }),
  output: z.object({ ok: z.literal(true), task_id: z.int(), note_id: z.int(), author: z.string(), version: z.int() }),
  errors: ["task_not_found"],
  example: { task_id: 1, body: "The old sensor is off." },

  async run(context, { task_id, body }) {
    const { tx, caller, room } = context;
    const counted = await countNote(tx, caller.organization, room.id, task_id);
    if (!counted) throw fail("task_not_found", { task: task_id, room: room.name });
    await insertNote(tx, caller, room.id, task_id, { number: counted.last_note, body });
    await tellNoted(context, task_id, body, [counted.created_by, counted.responsible, counted.assignee]);
    return { ok: true as const, task_id, note_id: counted.last_note, author: caller.handle, version: counted.version };
  },
});

/** Tells of a note, to the task's people and to those it names. */
export async function tellNoted(
  context: RoomContext,
  task: number,
  body: string,
  people: readonly (string | null)[],
): Promise<void> {
  const concerns = concerned(context, [...people, ...(await listNamed(context, body))]);
  context.emit({ kind: "note_added", room: context.room.id, task, detail: body, concerns, content: body });
}
