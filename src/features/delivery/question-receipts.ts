import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { Tx } from "../../store/store.ts";
import { reachOf } from "./queries.ts";
import { listQuestionReceipts } from "./question-queries.ts";

/**
 * How far a question has come to its recipient: by which paths that person or its agents are reached now, when anything was
 * last heard from them, and when they were first told of the question.
 */
export const recipientReach = z.object({
  paths: z.array(z.string()),
  last_seen: isoMoment.nullable(),
  handed_over: z.object({ path: z.string(), session: z.string(), ts: isoMoment }).optional(),
});

/** Gives a function that tells it of each of these questions, by number. */
export async function findReach(
  tx: Tx,
  organization: string,
  questions: readonly { readonly number: number; readonly recipient: string }[],
): Promise<(number: number) => z.input<typeof recipientReach>> {
  const recipients = new Map(questions.map(({ number, recipient }) => [number, recipient]));
  const reach = await reachOf(tx, organization, [...new Set(recipients.values())]);
  const receipts = await listQuestionReceipts(tx, organization, [...recipients.keys()]);
  return (number) => {
    const recipient = recipients.get(number) ?? "";
    const { paths = [], last_seen = null } = reach.get(recipient) ?? {};
    const receipt = receipts.find((one) => one.question === number && one.member === recipient);
    const handed_over = receipt && { path: receipt.path, session: receipt.session, ts: toIso(receipt.at) };
    return { paths, last_seen: toIso(last_seen), ...(handed_over && { handed_over }) };
  };
}
