import { z } from "zod";
import type { Caller } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { findAsked, listQuestionReceipts } from "./question-queries.ts";
import { reachFields, reachOfPersons } from "./reach.ts";
import { handedOver, nudged, type ReceiptAnswer, toReceipt, wayOf } from "./receipt-answer.ts";

/**
 * How far a question has come to its recipient: by which paths that person or its agents are reached now, when anything was
 * last heard from them, and when they were first woken for and told of the question.
 */
export const recipientReach = z.object({ ...reachFields, nudged, handed_over: handedOver });

/** Gives a function that tells it of each of these questions, by number. */
export async function findReach(
  tx: Tx,
  organization: string,
  questions: readonly { readonly number: number; readonly recipient: string }[],
): Promise<(number: number) => z.input<typeof recipientReach>> {
  const recipients = new Map(questions.map(({ number, recipient }) => [number, recipient]));
  const reachOf = await reachOfPersons(tx, organization, [...new Set(recipients.values())]);
  const receipts = await listQuestionReceipts(tx, organization, [...recipients.keys()]);
  return (number) => {
    const recipient = recipients.get(number) ?? "";
    const receipt = receipts.find((one) => one.question === number && one.member === recipient);
    return { ...reachOf(recipient), ...(receipt && wayOf(receipt)) };
  };
}

const NOWHERE = {
  nudged_at: null,
  nudged_path: null,
  handed_over_at: null,
  handed_over_path: null,
  handed_over_session: null,
};

/**
 * How far a question came to its recipient, and its end to who asked; undefined when the caller acts for neither. An end that was only
 * read with check_replies, which keeps no place, has none.
 */
export async function questionReceipts(
  tx: Tx,
  { organization, person }: Caller,
  number: number,
): Promise<{ author: string; receipts: ReceiptAnswer[] } | undefined> {
  const asked = person === undefined ? undefined : await findAsked(tx, organization, person, number);
  if (!asked) return undefined;
  const { asker, asking, recipient, closed_at, answered_at } = asked;
  const rows = await listQuestionReceipts(tx, organization, [number]);
  const reachOf = await reachOfPersons(tx, organization, [recipient, asking]);
  const of = (member: string, reached: string, ended: number | null) =>
    toReceipt(
      { ...NOWHERE, ...rows.find((row) => row.member === member), member, acknowledged_at: null, answered_at: ended },
      reachOf(reached),
    );
  return {
    author: asker,
    receipts: [of(recipient, recipient, answered_at), ...(closed_at === null ? [] : [of(asker, asking, null)])],
  };
}
