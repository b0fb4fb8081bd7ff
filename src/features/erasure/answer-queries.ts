import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { bindingOf } from "../approval/approval-answer.ts";
import { approvalHash } from "../approval/model.ts";
import { findAnswer, sharingOf } from "../approval/queries.ts";
import { answerKey, findableAnswer } from "../search/answer-queries.ts";
import { addText, dropTexts, findPlace } from "../search/queries.ts";
import type { Erasure } from "./erasure-queries.ts";

/** Answers that one page makes anew. */
const PAGE = 50;

/** The answered questions of an erased person after one, that already stand under its former name. */
export async function listAnswered(tx: Tx, { organization, former }: Erasure, after: number): Promise<number[]> {
  const rows = await tx.all<{ number: number }>(sql`
    select number
    from questions
    where organization = ${organization} and (asker = ${former} or recipient = ${former}) and number > ${after}
      and state = 'answered'
    order by number
    limit ${PAGE}`);
  return rows.map(({ number }) => number);
}

/**
 * Binds an answer's approval to the people as they are called now, and lets it be found by them. A signature was over the old binding and goes
 * with it; what it was worth goes with the signature.
 */
export async function bindAnew(tx: Tx, { organization }: Erasure, number: number): Promise<void> {
  const row = await findAnswer(tx, organization, number);
  if (!row) return;
  const shared = sharingOf(row);
  const { id, recipient, asker, question, answer, level } = row;
  const bound = approvalHash({ ...bindingOf(row, shared), recipient, text: answer });
  await tx.run(sql`
    update approvals
    set hash = ${bound}, proof = null, level = ${level === "signed" ? "confirmed" : level}
    where organization = ${organization} and id = ${id}`);
  const key = answerKey(organization, number);
  const place = await findPlace(tx, key);
  const [, indexed] = findableAnswer({ organization, number, asker, recipient, question, answer, shared });
  dropTexts(tx, [key]);
  addText(tx, key, place === undefined ? indexed : { ...indexed, place });
}
