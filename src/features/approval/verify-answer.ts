import { hash } from "node:crypto";
import { bindingOf } from "./approval-answer.ts";
import { approvalHash } from "./model.ts";
import { type AnswerRow, sharingOf } from "./queries.ts";

/**
 * What does not fit together in an answer as it is stored; empty when its approval was for exactly this. It recomputes the
 * hash from the words, the people, the sharing and the deadline that stand in the database now, and needs nothing else.
 *
 * @param told  the SHA-256 of the answer that the log keeps; undefined when the log has no word of it.
 */
export function problemsOf(row: AnswerRow, told: string | null | undefined): string[] {
  const { recipient, answer } = row;
  const binding = { ...bindingOf(row, sharingOf(row)), recipient, text: answer };
  const checks: readonly (readonly [boolean, string])[] = [
    [row.state === "approved", `its approval is ${row.state}`],
    [row.person === recipient, `it was approved for ${row.person}, and stands as ${recipient}'s`],
    [row.text === answer, "the approved draft is another text"],
    [approvalHash(binding) === row.hash, "the hash that was approved is another one"],
    [told === hash("sha256", answer, "hex"), "the log tells of another text"],
  ];
  return checks.filter(([holds]) => !holds).map(([, problem]) => problem);
}
