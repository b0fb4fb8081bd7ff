import { HUB } from "../../core/event-log.ts";
import type { Context } from "../../core/operation.ts";
import { listOpen } from "../questions/move-queries.ts";
import { endQuestion } from "./leaving-queries.ts";

const AT_ONCE = 200;
const KINDS = { decline: "question_declined", withdraw: "question_withdrawn", expire: "question_expired" } as const;

/**
 * Closes what is open of members who leave: what they were asked is declined, what they asked is withdrawn, requests to approve
 * end with it, and the other side is told. Gives how many there were.
 */
export async function closeQuestionsOf(context: Context, handles: readonly string[]): Promise<number> {
  let closed = 0;
  for (const member of handles) {
    for (;;) {
      const open = await listOpen(context.tx, context.caller.organization, { member }, AT_ONCE);
      if (open.length === 0) break;
      for (const { number, recipient } of open) await closeQuestion(context, member, number, recipient);
      closed += open.length;
    }
  }
  return closed;
}

/** Why a question was closed whose asker or recipient left. */
export function leftReason(handle: string): string {
  return `${handle} has left.`;
}

async function closeQuestion({ tx, caller, emit }: Context, member: string, number: number, recipient: string) {
  const reason = leftReason(member);
  const action = recipient === member ? "decline" : "withdraw";
  const ended = await endQuestion(tx, caller.organization, number, action, { by: HUB, reason });
  // Nothing comes between: the transaction that lists the open ones is the only one that writes here now.
  if (!ended) throw new Error(`Question ${number} is open and cannot be closed.`);
  const { asker } = ended.question;
  emit({
    kind: KINDS[ended.action],
    question: number,
    detail: reason,
    only: [asker, recipient],
    concerns: [action === "decline" ? asker : recipient],
    actor: HUB,
  });
}
