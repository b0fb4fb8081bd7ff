import { fail, type HubError } from "../../core/errors.ts";
import type { Context } from "../../core/operation.ts";
import { type Action, decide, isOpen, type Side, standingAt, type State } from "./model.ts";
import { findQuestion, isAsker, isRecipient, type QuestionRow } from "./queries.ts";

/**
 * A question that the caller's person is asked.
 *
 * @throws HubError `question_not_found`, for others' questions as for those that are not there.
 */
export async function findReceived(
  { tx, caller }: Pick<Context, "tx" | "caller">,
  number: number,
): Promise<QuestionRow> {
  const row = await findQuestion(tx, isRecipient(caller), number);
  if (!row) throw fail("question_not_found", { question: number });
  return row;
}

/** Why a move did not come about, for whoever tried it. */
export async function refusalOf({ tx, caller }: Context, number: number, action: Action): Promise<HubError> {
  const received = await findQuestion(tx, isRecipient(caller), number);
  const asked = await findQuestion(tx, isAsker(caller), number);
  const row = received ?? asked;
  if (!row) return fail("question_not_found", { question: number });
  const sides = new Set<Side>([...(received ? (["recipient"] as const) : []), ...(asked ? (["asker"] as const) : [])]);
  const decision = decide(row, action, sides, tx.now);
  if (decision.allowed) throw new Error(`Question ${number} takes ${action}, and did not.`);
  const state = received ? standingAt(row, tx.now) : stateForAsker(row, tx.now);
  return fail("question_move", { question: number, state, action, problem: decision.problem });
}

/** Whether somebody writes on an answer is the recipient's business: to its asker an open question is pending. */
export function stateForAsker(row: Pick<QuestionRow, "state" | "expires_at">, now: number): State {
  const state = standingAt(row, now);
  return isOpen(state) ? "pending" : state;
}
