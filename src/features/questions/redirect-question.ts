import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { profile, toProfile } from "../people/profile-answer.ts";
import { findPerson } from "./asking.ts";
import { redirect } from "./move-queries.ts";
import { questionId, userId } from "./question-fields.ts";
import { findReceived, refusalOf } from "./standing.ts";

export const redirectQuestion = defineOperation({
  name: "redirect_question",
  title: "Hand a question on",
  description:
    "Hands a question you are asked to a coworker who knows better; its asker is told. Drafts stay with you.",
  kind: "command",
  needs: "person_write",
  input: z.object({ message_id: questionId, to_user_id: userId }),
  output: z.object({ redirected: z.literal(true), message_id: z.int(), to: profile }),
  errors: ["question_not_found", "person_not_found", "question_move"],
  untrusted: ["to.name", "to.ownership[]", "to.notes", "to.profile_notes"],
  example: { message_id: 1, to_user_id: "ben" },

  async run(context, { message_id, to_user_id }) {
    const { tx, caller, emit } = context;
    const before = await findReceived(context, message_id);
    const to = await findPerson(context, to_user_id);
    if (to_user_id === before.recipient || to_user_id === before.asker)
      throw fail("bad_input", {
        field: "to_user_id",
        problem: "must be somebody else than its asker and its recipient",
      });
    const row = await redirect(tx, caller, message_id, to_user_id);
    if (!row) throw await refusalOf(context, message_id, "redirect");
    emit({
      kind: "question_redirected",
      question: message_id,
      detail: `from ${before.recipient} to ${to_user_id}`,
      only: [row.asker, before.recipient, to_user_id],
      concerns: [row.asker, to_user_id],
    });
    return { redirected: true as const, message_id, to: toProfile(to, caller) };
  },
});
