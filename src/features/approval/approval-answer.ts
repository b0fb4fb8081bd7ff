import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { approvalHash, type Binding, LEVELS, type Sharing, SHOWN_FOR_MS, traitsOf } from "./model.ts";
import type { ApprovalRow } from "./queries.ts";

/** What its person looks at before approving. `hash` stands for all of it, shared with nobody but the asker. */
export const approval = z.object({
  approval_id: z.string(),
  message_id: z.int(),
  from_user_id: z.string(),
  asked_by: z.string(),
  query_text: z.string(),
  options: z.array(z.string()),
  follows: z.object({ query_text: z.string(), answer: z.string() }).optional().describe("What it follows up on"),
  asked_at: isoMoment,
  text: z.string(),
  long: z.boolean(),
  has_invisible: z.boolean(),
  has_bidi: z.boolean(),
  hash: z.string(),
  requested_by: z.string(),
  requested_at: isoMoment,
  expires_at: isoMoment,
});

/** The texts in it that others wrote; the draft is by one's own agent, and so not to be trusted either. */
export function untrustedIn(place: string): string[] {
  const fields = ["query_text", "options[]", "follows.query_text", "follows.answer", "text"];
  return fields.map((field) => place + field);
}

export function toApproval(row: ApprovalRow): z.input<typeof approval> {
  return {
    approval_id: row.id,
    message_id: row.number,
    from_user_id: row.asker,
    asked_by: row.asked_by,
    query_text: row.question,
    options: optionsOf(row),
    ...(row.question_before !== null && {
      follows: { query_text: row.question_before, answer: row.answer_before ?? "" },
    }),
    asked_at: toIso(row.asked_at),
    text: row.text,
    ...traitsOf(row.text),
    hash: row.hash,
    requested_by: row.requested_by,
    requested_at: toIso(row.requested_at),
    expires_at: toIso(row.expires_at),
  };
}

/** What is approved with a request, if its answer is shared like this. */
export function hashOf(row: ApprovalRow, sharing: Sharing): string {
  return approvalHash(bindingOf(row, sharing));
}

export function bindingOf(row: ApprovalRow, sharing: Sharing): Binding {
  const { organization, number, question, asker, person: recipient, text, expires_at, nonce } = row;
  const options = optionsOf(row);
  return { organization, number, question, options, asker, recipient, text, sharing, expires_at, nonce };
}

function optionsOf({ options }: ApprovalRow): string[] {
  return JSON.parse(options) as string[]; // written by insertQuestion
}

/** Until when what is shown at `now` may be approved. */
export function approvableUntil({ expires_at }: ApprovalRow, now: number): number {
  return Math.min(expires_at, now + SHOWN_FOR_MS);
}

/** The page on which a request is approved. */
export function approvePage(url: string, id: string): string {
  return `${url}/approve/${id}`;
}

/** An answer that is out, as its own side is told. */
export const sentAnswer = z.object({
  sent: z.literal(true),
  message_id: z.int(),
  answered_at: isoMoment,
  final_text: z.string(),
  assurance: z.enum(LEVELS),
  shared: z.string(),
});
