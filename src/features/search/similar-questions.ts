import type { Caller } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { folded, wordsOf } from "../../store/words.ts";
import { type AnswerRow, findAnswers } from "./answer-queries.ts";

/** The longest words say most about what is asked; looking for every "the" would find everything. */
const WORDS_ASKED = 8;
/** The latest so many are compared. */
const COMPARED = 50;
const SHOWN = 3;
/** How much of the words that are looked for a question must have, to be called similar. */
const ALIKE = 0.5;

/** Questions like this one that were answered before and that the caller may see, the most alike first. */
export async function similarQuestions(tx: Tx, caller: Caller, question: string): Promise<AnswerRow[]> {
  const words = wordsOf(question, "asked")
    .toSorted((one, other) => other.length - one.length)
    .slice(0, WORDS_ASKED);
  const rows = await findAnswers(tx, caller, { words, which: "any", limit: COMPARED });
  return rows
    .map((row) => ({ row, likeness: likenessOf(words, row.question) }))
    .filter(({ likeness }) => likeness >= ALIKE)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, SHOWN)
    .map(({ row }) => row);
}

/** A word counts within a longer one too: to cut fifty questions into words would cost more than all else that asking does. */
function likenessOf(words: readonly string[], question: string): number {
  const theirs = folded(question);
  return words.filter((word) => theirs.includes(word)).length / words.length;
}
