import { randomBytes } from "node:crypto";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Context } from "../../core/operation.ts";
import { awaitApproval } from "../questions/move-queries.ts";
import type { QuestionRow } from "../questions/queries.ts";
import { refusalOf } from "../questions/standing.ts";
import { approvalHash } from "./model.ts";
import { type ApprovalRow, findApproval, findOpenRequest, insertRequest } from "./queries.ts";

/**
 * The request to approve the draft that counts, made if there is none.
 *
 * @throws HubError `question_move`, `too_many`
 */
export async function requestApproval(
  context: Context,
  question: QuestionRow,
  text: string,
): Promise<{ request: ApprovalRow; made: boolean }> {
  const { tx, caller } = context;
  const { organization } = caller;
  const moved = await awaitApproval(tx, caller, question.number, question.draft);
  if (!moved) throw await refusalOf(context, question.number, "request");
  const open = await findOpenRequest(tx, organization, question.number);
  const id = open ?? (await makeRequest(context, moved, text));
  const request = await findApproval(tx, organization, moved.recipient, id);
  if (!request) throw new Error(`Approval ${id} is not there right after it was asked for.`);
  return { request, made: open === undefined };
}

async function makeRequest({ tx, caller }: Context, question: QuestionRow, text: string): Promise<string> {
  const { number, draft, recipient, asker, expires_at } = question;
  if (draft === null) throw new Error(`Question ${number} waits for approval without a draft.`);
  const id = `apr_${randomBytes(16).toString("base64url")}`;
  const nonce = randomBytes(16).toString("hex");
  const { organization } = caller;
  const options = JSON.parse(question.options) as string[]; // written by insertQuestion
  const binding = {
    organization,
    number,
    question: question.question,
    options,
    asker,
    recipient,
    text,
    expires_at,
    nonce,
  };
  const hash = approvalHash({ ...binding, sharing: "no" });
  const made = await insertRequest(tx, caller, {
    id,
    number,
    revision: draft,
    person: recipient,
    hash,
    nonce,
    expires_at,
  });
  if (made) return id;
  throw fail("too_many", {
    what: `drafts of ${caller.handle} waiting for approval`,
    most: LIMITS.openApprovalsPerMember,
  });
}
