import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { close } from "./move-queries.ts";
import { isAsker } from "./queries.ts";
import { questionId } from "./question-fields.ts";
import { refusalOf } from "./standing.ts";

export const withdrawQuestion = defineOperation({
  name: "withdraw_question",
  title: "Withdraw a question",
  description: "Takes back a question you asked, while it has no answer; nothing is sent any more.",
  kind: "command",
  needs: "person_write",
  input: z.object({ message_id: questionId }),
  output: z.object({ withdrawn: z.literal(true), message_id: z.int() }),
  errors: ["question_not_found", "question_move"],
  example: { message_id: 1 },

  async run(context, { message_id }) {
    const { tx, caller, emit } = context;
    const { organization, handle } = caller;
    const row = await close(tx, organization, isAsker(caller), message_id, "withdraw", { by: handle });
    if (!row) throw await refusalOf(context, message_id, "withdraw");
    const { asker, recipient } = row;
    emit({ kind: "question_withdrawn", question: message_id, only: [asker, recipient], concerns: [recipient] });
    return { withdrawn: true as const, message_id };
  },
});
