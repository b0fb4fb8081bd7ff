import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment } from "../../core/fields.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { approvePage, type sentAnswer } from "../approval/approval-answer.ts";
import { deliver, toSent } from "../approval/deliver.ts";
import { fitsPrompt, type Level, LEVELS, suffices, traitsOf } from "../approval/model.ts";
import { type ApprovalRow, findAnswer } from "../approval/queries.ts";
import { requestApproval } from "../approval/requests.ts";
import { keepDraft } from "./drafting.ts";
import { isOpen, standingAt } from "./model.ts";
import { findDraft, minimumOf, type QuestionRow } from "./queries.ts";
import { answerText, questionId } from "./question-fields.ts";
import { findReceived, refusalOf } from "./standing.ts";

export const sendResponse = defineOperation({
  name: "send_response",
  title: "Send an answer",
  description:
    "Sends the drafted answer once its person approved these very words. sent false gives the page where they do; it then leaves by itself.",
  kind: "command",
  needs: "person_write",
  input: z.object({
    message_id: questionId,
    final_text: answerText.optional().describe("The draft unless given; other text becomes the draft"),
  }),
  output: z.object({
    next: z.string().optional(),
    sent: z.boolean(),
    state: z.literal("awaiting_approval").optional(),
    reason: z.string().optional(),
    approval_id: z.string().optional(),
    approve_url: z.string().optional(),
    consent: z.object({ text: z.string(), hash: z.string() }).optional().describe("What a prompt may show and approve"),
    message_id: z.int(),
    from_user_id: z.string().optional(),
    answered_at: isoMoment.optional(),
    final_text: z.string().optional(),
    assurance: z.enum(LEVELS).optional(),
    shared: z.string().optional(),
  }),
  errors: ["question_not_found", "question_move", "draft_needed", "too_many"],
  example: { message_id: 1 },

  asks({ message_id, from_user_id, approve_url: url, consent }) {
    return url === undefined
      ? undefined
      : { says: `Approve your answer to q${message_id} of ${from_user_id}?`, url, consent };
  },

  async run(context, { message_id, final_text }) {
    const { tx, caller } = context;
    const found = await findReceived(context, message_id);
    if (found.state === "answered") return sentBefore(context, found);
    if (!isOpen(standingAt(found, tx.now))) throw await refusalOf(context, message_id, "request");
    if (found.draft === null) throw fail("draft_needed", { question: message_id });
    const question = final_text === undefined ? found : await keepDraft(context, message_id, final_text);
    const { request, made } = await requestApproval(context, question, await textOf(context, question));
    const { level, by } = meansOf(context, request);
    const minimum = await minimumOf(tx, caller.organization);
    if (suffices(level, minimum)) return deliver(context, request, { level, by, sharing: "no" });
    if (made) tellRequested(context, question);
    return waits(context, request, minimum);
  },
});

/** An answer is sent once: whoever sends again is told of it, whatever it wanted to send. */
async function sentBefore({ tx, caller }: Context, row: QuestionRow): Promise<z.input<typeof sentAnswer>> {
  const answer = await findAnswer(tx, caller.organization, row.number);
  if (!answer) throw new Error(`The answer to question ${row.number} was approved by nobody.`);
  return toSent(row, answer.level);
}

async function textOf({ tx, caller }: Context, { number, draft }: QuestionRow): Promise<string> {
  const found = await findDraft(tx, caller.organization, number, draft);
  if (!found) throw fail("draft_needed", { question: number });
  return found.text;
}

/** What the call itself is worth: that the caller says so, or that the person accepted this very text in its client's prompt. */
function meansOf({ caller, consent }: Context, request: ApprovalRow): { level: Level; by: string } {
  const accepted = consent !== undefined && consent === request.hash && fitsPrompt(traitsOf(request.text));
  return accepted ? { level: "prompted", by: request.person } : { level: "asserted", by: caller.handle };
}

function tellRequested({ emit, caller }: Context, { number, recipient }: QuestionRow) {
  const concerns = recipient === caller.handle ? [] : [recipient];
  emit({ kind: "approval_requested", question: number, only: [recipient], concerns });
}

function waits({ settings }: Context, request: ApprovalRow, minimum: Level) {
  const { id, number, asker, person, text, hash } = request;
  const mayPrompt = suffices("prompted", minimum) && fitsPrompt(traitsOf(text));
  return {
    next: `Ask ${person} to open approve_url and press Approve. The answer then leaves by itself; there is nothing more to do.`,
    sent: false,
    state: "awaiting_approval" as const,
    reason: `${person} has not approved this text; the organization asks for ${minimum}`,
    approval_id: id,
    approve_url: approvePage(settings.url, id),
    ...(mayPrompt && { consent: { text, hash } }),
    message_id: number,
    from_user_id: asker,
  };
}
