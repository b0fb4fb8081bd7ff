import type { z } from "zod";
import { fail } from "../../core/errors.ts";
import { toIso } from "../../core/fields.ts";
import type { Context } from "../../core/operation.ts";
import { writeAnswer } from "../questions/move-queries.ts";
import type { QuestionRow } from "../questions/queries.ts";
import { type AnsweredQuestion, indexAnswer } from "../search/answer-queries.ts";
import { hashOf, type sentAnswer } from "./approval-answer.ts";
import type { Level, Sharing } from "./model.ts";
import { type ApprovalRow, useRequest } from "./queries.ts";

/** How an answer was approved. */
export interface Approved {
  readonly level: Level;
  /** Who approved; for `asserted` who says so. */
  readonly by: string;
  readonly sharing: Sharing;
  readonly proof?: string | undefined;
}

/**
 * Uses a request up and delivers its text, in the caller's transaction: there is no moment at which one is done and the other
 * is not. Whether it may be used was decided before; see `obstacleTo`.
 *
 * @throws HubError `not_signed_in` when whoever approved is gone since the call began.
 */
export async function deliver(
  context: Pick<Context, "tx" | "caller" | "emit">,
  request: ApprovalRow,
  { level, by, sharing, proof }: Approved,
): Promise<z.input<typeof sentAnswer>> {
  const { tx, caller } = context;
  if (hashOf(request, "no") !== request.hash) throw new Error(`Approval ${request.id} is not what was asked for.`);
  const used = await useRequest(tx, caller, request, { level, by, hash: hashOf(request, sharing), proof });
  if (!used) throw fail("not_signed_in", { problem: "The sign-in that this was approved with has ended" });
  const { number, revision, id, text } = request;
  const row = await writeAnswer(tx, caller, { number, revision, approval: id, text, sharing });
  if (!row) throw new Error(`Question ${number} does not wait for what was approved as ${id}.`);
  indexAnswer(tx, findable(caller.organization, row, sharing));
  tell(context, row, sharing);
  return toSent(row, level);
}

function findable(organization: string, row: QuestionRow, shared: Sharing): AnsweredQuestion {
  const { number, asker, recipient, question, answer } = row;
  return { organization, number, asker, recipient, question, shared, answer: answer ?? "" };
}

function tell({ emit }: Pick<Context, "emit">, row: QuestionRow, sharing: Sharing) {
  const { number, asker, recipient } = row;
  const text = row.answer ?? "";
  const answered = { kind: "question_answered", question: number, detail: text, content: text } as const;
  emit({ ...answered, only: [asker, recipient], concerns: [asker] });
  if (sharing === "no") return;
  const room = sharing === "organization" ? {} : { room: sharing.room };
  emit({ kind: "answer_shared", question: number, ...room, detail: row.question });
}

/** An answer that is out, as its own side is told. */
export function toSent(row: QuestionRow, level: Level): z.input<typeof sentAnswer> {
  const { number, answered_at, answer, shared } = row;
  if (answered_at === null || answer === null) throw new Error(`Question ${number} has no answer.`);
  return {
    sent: true,
    message_id: number,
    answered_at: toIso(answered_at),
    final_text: answer,
    assurance: level,
    shared,
  };
}
