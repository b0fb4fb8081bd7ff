import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { ask, askedAnswer, UNTRUSTED_IN_ASKED } from "./asking.ts";
import { findQuestion, isAsker } from "./queries.ts";
import { deadlineFrom, questionFields, questionId } from "./question-fields.ts";
import { stateForAsker } from "./standing.ts";

export const followUp = defineOperation({
  name: "follow_up",
  title: "Follow up on an answer",
  description: "Asks whoever answered a question of yours the next one, in the same thread.",
  kind: "command",
  needs: "person_write",
  input: z.object({ message_id: questionId, ...questionFields }),
  output: askedAnswer,
  errors: ["question_not_found", "question_move", "person_not_found", "too_many"],
  untrusted: UNTRUSTED_IN_ASKED,
  example: { message_id: 1, question: "And how long between two of them?" },

  async run(context, { message_id, question, options = [], deadline }) {
    const { tx, caller } = context;
    const answered = await findQuestion(tx, isAsker(caller), message_id);
    if (!answered) throw fail("question_not_found", { question: message_id });
    const state = stateForAsker(answered, tx.now);
    if (state !== "answered")
      throw fail("question_move", { question: message_id, state, action: "follow_up", problem: "it has no answer" });
    return ask(context, {
      asker: answered.asker,
      recipient: answered.recipient,
      text: question,
      options,
      expiresAt: deadlineFrom(tx.now, deadline),
      follows: answered,
    });
  },
});
