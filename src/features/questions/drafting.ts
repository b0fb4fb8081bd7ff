import type { Context } from "../../core/operation.ts";
import { isOpen, standingAt } from "./model.ts";
import { saveDraft } from "./move-queries.ts";
import { findDraft, type QuestionRow } from "./queries.ts";
import { findReceived, refusalOf } from "./standing.ts";

/**
 * Keeps a text as the draft of an answer, unless it is the one that counts already: a retry ends no request for approval.
 *
 * @throws HubError `question_not_found`, `question_move`
 */
export async function keepDraft(context: Context, number: number, text: string): Promise<QuestionRow> {
  const { tx, caller, emit } = context;
  const before = await findReceived(context, number);
  const draft = await findDraft(tx, caller.organization, number, before.draft);
  if (draft?.text === text && isOpen(standingAt(before, tx.now))) return before;
  const row = await saveDraft(tx, caller, number, text);
  if (!row) throw await refusalOf(context, number, "draft");
  emit({ kind: "question_drafted", question: number, content: text, only: [row.recipient] });
  return row;
}
