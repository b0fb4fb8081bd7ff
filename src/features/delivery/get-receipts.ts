import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { findTask } from "../board/queries.ts";
import { findMessage } from "../chat/queries.ts";
import { listReceipts } from "./queries.ts";
import { questionReceipts } from "./question-receipts.ts";
import { reachOfAddressees } from "./reach.ts";
import { receipt, type ReceiptAnswer, toReceipt } from "./receipt-answer.ts";
import { findTaskReceipt } from "./task-receipt-queries.ts";

const input = z.object({
  message_id: z.int().min(1).optional(),
  task_id: z.int().min(1).optional().describe("Its last hand-over"),
  question_id: z.int().min(1).optional().describe("One that you asked or answer"),
  after: z.string().optional(),
  limit: pageSize(PAGES.agents),
});
type Input = z.output<typeof input>;

export const getReceipts = defineRoomOperation({
  name: "get_receipts",
  title: "Get receipts",
  description:
    "How far a message, task or question came to each member it is for: stored, nudged, handed_over, acknowledged or answered; while not handed over, its live paths or why_not.",
  kind: "query",
  needs: "read",
  input,
  output: z.object({
    room: z.string(),
    message_id: z.int().optional(),
    task_id: z.int().optional(),
    question_id: z.int().optional(),
    author: z.string(),
    count: z.int(),
    receipts: z.array(receipt),
    has_more: z.boolean(),
    next: z.object({ after: z.string() }).nullable(),
  }),
  errors: ["message_not_found", "task_not_found", "question_not_found"],
  example: { message_id: 1 },

  async run(context, asked) {
    const { room, answerBytes } = context;
    const { author, ...found } = await findReceipts(context, asked);
    const { page, hasMore } = fitPage(found.receipts, asked.limit, answerBytes);
    const last = page.at(-1);
    return {
      room: room.name,
      ...found.of,
      author,
      count: page.length,
      receipts: [...page],
      has_more: hasMore,
      next: hasMore && last ? { after: last.member } : null,
    };
  },
});

/** Whose receipts, who wrote it, and one more of them than a page has. */
interface Found {
  readonly of: Partial<Pick<Input, "message_id" | "task_id" | "question_id">>;
  readonly author: string;
  readonly receipts: readonly ReceiptAnswer[];
}

function findReceipts(context: RoomContext, { message_id, task_id, question_id, after, limit }: Input): Promise<Found> {
  const given = [message_id, task_id, question_id].filter((id) => id !== undefined);
  if (given.length !== 1)
    throw fail("bad_input", { field: "message_id", problem: "or task_id or question_id: exactly one is needed" });
  if (task_id !== undefined) return ofTask(context, task_id);
  if (question_id !== undefined) return ofQuestion(context, question_id);
  return ofMessage(context, message_id ?? 0, after ?? "", limit + 1);
}

async function ofMessage({ tx, caller, room }: RoomContext, number: number, after: string, limit: number) {
  const message = await findMessage(tx, caller.organization, room.id, number);
  if (!message) throw fail("message_not_found", { message: number, room: room.name });
  const rows = await listReceipts(tx, { organization: caller.organization, room: room.id, number }, after, limit);
  const members = rows.map(({ member }) => member);
  const reach = await reachOfAddressees(tx, caller.organization, room.id, members);
  const receipts = rows.map((row) => toReceipt(row, reach(row.member)));
  return { of: { message_id: number }, author: message.author, receipts };
}

/** To whom the task was handed last; nobody, when nobody else handed it to who has it. */
async function ofTask({ tx, caller, room }: RoomContext, number: number): Promise<Found> {
  const task = await findTask(tx, caller.organization, room.id, number);
  if (!task) throw fail("task_not_found", { task: number, room: room.name });
  const row = await findTaskReceipt(tx, caller.organization, room.id, number);
  const reach = row && (await reachOfAddressees(tx, caller.organization, room.id, [row.member]));
  return {
    of: { task_id: number },
    author: task.created_by,
    receipts: row && reach ? [toReceipt(row, reach(row.member))] : [],
  };
}

/** To its recipient, and once it has ended how far that came to who asked. Its two people alone may know. */
async function ofQuestion({ tx, caller }: RoomContext, number: number): Promise<Found> {
  const found = await questionReceipts(tx, caller, number);
  if (!found) throw fail("question_not_found", { question: number });
  return { of: { question_id: number }, ...found };
}
