import { z } from "zod";
import { text } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { type Level, levelOf, suffices } from "../approval/model.ts";
import { findPassword } from "../approval/queries.ts";
import { close } from "./move-queries.ts";
import { isRecipient, minimumOf } from "./queries.ts";
import { questionId } from "./question-fields.ts";
import { refusalOf } from "./standing.ts";

export const declineQuestion = defineOperation({
  name: "decline_question",
  title: "Decline a question",
  description:
    "Ends a question you are asked without an answer; its asker is told. A reason is words to the asker, and needs what an answer needs.",
  kind: "command",
  needs: "person_write",
  input: z.object({ message_id: questionId, reason: text(LIMITS.reason).optional() }),
  output: z.object({
    next: z.string().optional(),
    declined: z.literal(true),
    message_id: z.int(),
    reason_told: z.boolean(),
  }),
  errors: ["question_not_found", "question_move"],
  example: { message_id: 1 },

  async run(context, { message_id, reason = "" }) {
    const { tx, caller, emit } = context;
    const { organization, handle } = caller;
    const minimum = await minimumOf(tx, organization);
    const tells = reason.trim() !== "" && suffices(await levelOfCaller(context), minimum);
    const told = tells ? reason : "";
    const row = await close(tx, organization, isRecipient(caller), message_id, "decline", { by: handle, reason: told });
    if (!row) throw await refusalOf(context, message_id, "decline");
    const { asker, recipient } = row;
    emit({
      kind: "question_declined",
      question: message_id,
      detail: told,
      content: told,
      only: [asker, recipient],
      concerns: [asker],
    });
    const answer = { declined: true as const, message_id, reason_told: tells };
    return reason.trim() === "" || tells ? answer : { next: WITHHELD, ...answer };
  },
});

const WITHHELD = "The reason was not passed on: its words were not approved by your person as answers must be here.";

/** How surely the words of this call are the person's own. */
async function levelOfCaller({ tx, caller }: Context): Promise<Level> {
  if (!caller.roles.has("browser")) return "asserted";
  const password = await findPassword(tx, caller.organization, caller.handle);
  return levelOf({ browser: true, passkey: false, exposed: password?.exposed_at !== null });
}
