import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { close, type Closing } from "../questions/move-queries.ts";
import type { QuestionRow } from "../questions/queries.ts";

/** Ends a question for the organization: what is past its deadline is expired, whatever else would end it. */
export async function endQuestion(
  tx: Tx,
  organization: string,
  number: number,
  action: "decline" | "withdraw",
  closing: Closing,
): Promise<{ action: "decline" | "withdraw" | "expire"; question: QuestionRow } | undefined> {
  const anybodys = sql`questions.organization = ${organization}`;
  for (const way of [action, "expire"] as const) {
    const question = await close(tx, organization, anybodys, number, way, closing);
    if (question) return { action: way, question };
  }
  return undefined;
}
