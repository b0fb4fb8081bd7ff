import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { suffices } from "../approval/model.ts";
import { keepDraft } from "./drafting.ts";
import { minimumOf } from "./queries.ts";
import { answerText, questionId } from "./question-fields.ts";

export const proposeResponse = defineOperation({
  name: "propose_response",
  title: "Draft an answer",
  description:
    "Keeps a draft of an answer for its person to look at; its asker never sees it. Send it with send_response.",
  kind: "command",
  needs: "person_write",
  input: z.object({ message_id: questionId, draft_text: answerText }),
  output: z.object({
    draft_saved: z.literal(true),
    message_id: z.int(),
    draft_text: z.string(),
    approval_required: z.boolean(),
  }),
  errors: ["question_not_found", "question_move"],
  example: { message_id: 1, draft_text: "Three, with growing pauses." },

  async run(context, { message_id, draft_text }) {
    await keepDraft(context, message_id, draft_text);
    const minimum = await minimumOf(context.tx, context.caller.organization);
    const approval_required = !suffices("asserted", minimum);
    return { draft_saved: true as const, message_id, draft_text, approval_required };
  },
});
