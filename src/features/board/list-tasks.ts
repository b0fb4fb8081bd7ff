import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { STATUSES } from "./model.ts";
import { listTaskRows } from "./queries.ts";
import { task, toTask } from "./task-answer.ts";
import { person, taskId } from "./task-fields.ts";

export const listTasks = defineRoomOperation({
  name: "list_tasks",
  title: "List tasks",
  description: "The room's tasks, newest first: what is open, who holds it, what it waits for.",
  kind: "query",
  needs: "read",
  always: true,
  input: z.object({
    status: z.enum([...STATUSES, "open"]).optional(),
    assignee: person.optional().describe("A handle or me"),
    label: z.string().optional(),
    before_id: taskId.optional(),
    limit: pageSize(PAGES.tasks),
  }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    count: z.int(),
    tasks: z.array(task),
    has_more: z.boolean(),
    next: z.object({ before_id: z.int() }).nullable(),
  }),
  errors: [],
  untrusted: ["tasks[].title", "tasks[].body", "tasks[].labels", "tasks[].links"],
  example: { status: "open", limit: 20 },

  async run({ tx, caller, room, answerBytes }, { status, assignee, label, before_id, limit }) {
    const holder = assignee === "me" ? caller.handle : assignee;
    const query = { status, assignee: holder, label, before: before_id, limit: limit + 1 };
    const rows = await listTaskRows(tx, caller.organization, room.id, query);
    const found = rows.map((row) => toTask(row, room.name, tx.now));
    const { page, hasMore } = fitPage(found, limit, answerBytes);
    const last = page.at(-1);
    const next = hasMore && last ? { before_id: last.id } : null;
    return { room: room.name, you_are: caller.handle, count: page.length, tasks: [...page], has_more: hasMore, next };
  },
});
