import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { ask, askedAnswer, askerOf, UNTRUSTED_IN_ASKED } from "./asking.ts";
import { deadlineFrom, questionFields, userId } from "./question-fields.ts";

export const askPerson = defineOperation({
  name: "ask_person",
  title: "Ask a person",
  description:
    "Asks a coworker, or your own absent owner. It waits in their inbox; the answer comes to check_replies once they approved it.",
  kind: "command",
  needs: "person_write",
  input: z.object({ to_user_id: userId, ...questionFields }),
  output: askedAnswer,
  errors: ["person_not_found", "too_many"],
  untrusted: UNTRUSTED_IN_ASKED,
  example: { to_user_id: "ben", question: "Which retries does the payments service make?" },

  run: (context, { to_user_id, question, options = [], deadline }) =>
    ask(context, {
      asker: askerOf(context, to_user_id),
      recipient: to_user_id,
      text: question,
      options,
      expiresAt: deadlineFrom(context.tx.now, deadline),
    }),
});
