import type { Context } from "../../core/operation.ts";
import { putQuestion } from "../questions/asking.ts";
import { deadlineFrom } from "../questions/question-fields.ts";
import { findInviter, type InvitationRow } from "./invitation-queries.ts";

/** Asks a new person what its invitation carried, in the name of whoever made it. */
export async function askNewcomer(context: Context, invitation: InvitationRow, newcomer: string): Promise<void> {
  const { organization, question, created_by } = invitation;
  if (question === null) return;
  const inviter = await findInviter(context.tx, organization, created_by);
  if (!inviter) throw new Error(`Who invited ${newcomer} was deactivated, and the invitation was not withdrawn.`);
  await putQuestion(context, {
    organization,
    asker: inviter.person,
    recipient: newcomer,
    askedBy: created_by,
    text: question,
    options: [],
    expiresAt: deadlineFrom(context.tx.now, undefined),
  });
}
