import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Context } from "../../core/operation.ts";
import { findReach, recipientReach } from "../delivery/question-receipts.ts";
import { profile, toProfile } from "../people/profile-answer.ts";
import { findProfile, type ProfileRow } from "../people/profile-queries.ts";
import { insertQuestion, type NewQuestion } from "./move-queries.ts";

/** What whoever asked is told. */
export const askedAnswer = z.object({
  sent: z.literal(true),
  message_id: z.int(),
  to: profile,
  recipient: recipientReach,
  question: z.string(),
  created_at: isoMoment,
  expires_at: isoMoment,
  follows: z.int().optional(),
});

export const UNTRUSTED_IN_ASKED = ["to.name", "to.ownership[]", "to.notes", "to.profile_notes"] as const;

/**
 * Asks a person and tells the two of it.
 *
 * @throws HubError `person_not_found`, `too_many`
 */
export async function ask(
  context: Pick<Context, "tx" | "caller" | "emit">,
  question: Omit<NewQuestion, "organization" | "askedBy">,
): Promise<z.input<typeof askedAnswer>> {
  const { tx, caller } = context;
  const to = await findPerson(context, question.recipient);
  const { organization, handle } = caller;
  const number = await putQuestion(context, { ...question, organization, askedBy: handle });
  const reachOf = await findReach(tx, organization, [{ number, recipient: question.recipient }]);
  return {
    sent: true,
    message_id: number,
    to: toProfile(to, caller),
    recipient: reachOf(number),
    question: question.text,
    created_at: toIso(tx.now),
    expires_at: toIso(question.expiresAt),
    ...(question.follows && { follows: question.follows.number }),
  };
}

/** Writes a question down and tells the two of it; who asks need not be who calls. @throws HubError `too_many` */
export async function putQuestion({ tx, emit }: Pick<Context, "tx" | "emit">, question: NewQuestion): Promise<number> {
  const { asker, recipient, askedBy, text } = question;
  const number = await insertQuestion(tx, question);
  if (number === undefined) {
    throw fail("too_many", { what: `open questions of ${asker} to ${recipient}`, most: LIMITS.openQuestionsPerPair });
  }
  emit({
    kind: "question_asked",
    question: number,
    actor: askedBy,
    detail: text,
    content: text,
    only: [asker, recipient],
    concerns: [recipient],
  });
  return number;
}

/**
 * In whose name the caller asks somebody. That is its person; but an agent that asks its own person asks in its own name, so
 * that the answer has somewhere to go.
 */
export function askerOf({ caller }: Pick<Context, "caller">, recipient: string): string {
  const { handle, person = handle } = caller;
  return recipient === person ? handle : person;
}

/** @throws HubError `person_not_found`: an agent is none, nor is who was deactivated. */
export async function findPerson({ tx, caller }: Pick<Context, "tx" | "caller">, user_id: string): Promise<ProfileRow> {
  const found = await findProfile(tx, caller.organization, user_id);
  if (!found) throw fail("person_not_found", { user_id });
  return found;
}
