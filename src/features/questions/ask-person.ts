import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import type { AnswerRow } from "../search/answer-queries.ts";
import { similarQuestions } from "../search/similar-questions.ts";
import { ask, askedAnswer, askerOf, UNTRUSTED_IN_ASKED } from "./asking.ts";
import { deadlineFrom, questionFields, userId } from "./question-fields.ts";

const similarAnswer = z.object({
  message_id: z.int(),
  question: z.string(),
  answered_by: z.string(),
  answered_at: isoMoment,
});

export const askPerson = defineOperation({
  name: "ask_person",
  title: "Ask a person",
  description:
    "Asks a coworker, or your own absent owner. It waits in their inbox; the answer comes to check_replies once they approved it.",
  kind: "command",
  needs: "person_write",
  input: z.object({ to_user_id: userId, ...questionFields }),
  output: askedAnswer.extend({ similar: z.array(similarAnswer).optional() }),
  errors: ["person_not_found", "too_many"],
  untrusted: [...UNTRUSTED_IN_ASKED, "similar[].question"],
  example: { to_user_id: "ben", question: "Which retries does the payments service make?" },

  // Before the transaction, which others wait for: it goes through what was answered.
  prepare: ({ read, caller }, { question }) => read((tx) => similarQuestions(tx, caller, question)),

  async run(context, { to_user_id, question, options = [], deadline }, similar) {
    const { tx } = context;
    const asked = await ask(context, {
      asker: askerOf(context, to_user_id),
      recipient: to_user_id,
      text: question,
      options,
      expiresAt: deadlineFrom(tx.now, deadline),
    });
    return { ...asked, ...(similar.length > 0 && { similar: similar.map(toSimilar) }) };
  },
});

/** Points to an answer that may save the wait; search_answers has its words. */
function toSimilar({ number, question, recipient, answered_at }: AnswerRow): z.input<typeof similarAnswer> {
  return { message_id: number, question, answered_by: recipient, answered_at: toIso(answered_at) };
}
