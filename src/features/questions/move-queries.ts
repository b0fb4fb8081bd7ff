import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { Sharing } from "../approval/model.ts";
import { voidRequest } from "../approval/queries.ts";
import { type Action, stateAfter, statesBefore } from "./model.ts";
import { isRecipient, QUESTION_COLUMNS, type QuestionRow } from "./queries.ts";

export interface NewQuestion {
  readonly organization: string;
  readonly asker: string;
  readonly recipient: string;
  readonly askedBy: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly expiresAt: number;
  /** The answered question that this one goes on from. */
  readonly follows?: Pick<QuestionRow, "number" | "thread"> | undefined;
}

/** Asks a question under the organization's next number. Gives no number when too many of this asker wait for this person. */
export async function insertQuestion(tx: Tx, question: NewQuestion): Promise<number | undefined> {
  const { organization, asker, recipient, askedBy, text, options, expiresAt, follows } = question;
  const counted = await tx.one<{ last_question: number }>(sql`
    update logs
    set last_question = last_question + 1
    where organization = ${organization} and (
      select count(*)
      from questions q
      where q.organization = ${organization} and q.recipient = ${recipient} and q.asker = ${asker} and q.closed_at is null
    ) < ${LIMITS.openQuestionsPerPair}
    returning last_question`);
  if (!counted) return undefined;
  const number = counted.last_question;
  await tx.run(sql`
    insert into questions
      (organization, number, asker, recipient, asked_by, question, options, state, thread, follows, created_at, expires_at)
    values (${organization}, ${number}, ${asker}, ${recipient}, ${askedBy}, ${text}, ${JSON.stringify(options)}, 'pending',
      ${follows?.thread ?? number}, ${follows?.number ?? null}, ${tx.now}, ${expiresAt})`);
  return number;
}

/** Keeps a draft as the next revision, which from now on counts. Nothing comes back when the question takes none. */
export async function saveDraft(
  tx: Tx,
  caller: Caller,
  number: number,
  text: string,
): Promise<QuestionRow | undefined> {
  const changes = sql`last_draft = last_draft + 1, draft = last_draft + 1`;
  const row = await move(tx, isRecipient(caller), number, "draft", changes);
  if (!row) return undefined;
  await tx.run(sql`
    insert into drafts (organization, question, revision, recipient, text, written_by, at)
    values (${caller.organization}, ${number}, ${row.draft}, ${row.recipient}, ${text}, ${caller.handle}, ${tx.now})`);
  await voidRequest(tx, caller.organization, number);
  return row;
}

/** Lets a draft wait for its person, if it is still the one that counts. */
export function awaitApproval(
  tx: Tx,
  caller: Caller,
  number: number,
  revision: number | null,
): Promise<QuestionRow | undefined> {
  return move(tx, sql`${isRecipient(caller)} and questions.draft = ${revision}`, number, "request");
}

/** Takes a rejected draft back to being a draft. */
export function returnDraft(tx: Tx, caller: Caller, number: number): Promise<QuestionRow | undefined> {
  return move(tx, isRecipient(caller), number, "reject");
}

export interface Delivery {
  readonly number: number;
  readonly revision: number;
  readonly approval: string;
  readonly text: string;
  readonly sharing: Sharing;
}

/** Writes the answer, once and for good, if the approved draft is still the one that counts. */
export function writeAnswer(tx: Tx, caller: Caller, delivery: Delivery): Promise<QuestionRow | undefined> {
  const { number, revision, approval, text, sharing } = delivery;
  const shared = typeof sharing === "string" ? sharing : "room";
  const changes = sql`
    answer = ${text}, approval = ${approval}, shared = ${shared},
    shared_room = ${typeof sharing === "string" ? null : sharing.room}, ${closed(tx, caller.handle)},
    answered_at = ${nextTold(tx, caller.organization)}, told_at = ${nextTold(tx, caller.organization)}`;
  return move(tx, sql`${isRecipient(caller)} and questions.draft = ${revision}`, number, "approve", changes);
}

/** Hands a question on. What was drafted stays behind, where its new recipient does not see it. */
export async function redirect(tx: Tx, caller: Caller, number: number, to: string): Promise<QuestionRow | undefined> {
  const changes = sql`recipient = ${to}, draft = null, told_at = ${nextTold(tx, caller.organization)}`;
  const row = await move(tx, isRecipient(caller), number, "redirect", changes);
  if (row) await voidRequest(tx, caller.organization, number);
  return row;
}

/** Who ends a question, and what its asker is told of why. */
export interface Closing {
  readonly by: string;
  readonly reason?: string;
}

/** Ends a question without an answer, and with it the request for approval that is open. */
export async function close(
  tx: Tx,
  organization: string,
  isMine: Sql,
  number: number,
  action: "decline" | "withdraw" | "expire",
  { by, reason = "" }: Closing,
): Promise<QuestionRow | undefined> {
  // Who withdraws its own question knows it.
  const told = action === "withdraw" ? sql.nothing : sql`, told_at = ${nextTold(tx, organization)}`;
  const changes = sql`${closed(tx, by)}, reason = ${reason} ${told}`;
  const row = await move(tx, isMine, number, action, changes);
  if (row) await voidRequest(tx, organization, number);
  return row;
}

/** The one conditional update that settles every race: the state must be one from which the action leads somewhere. */
function move(tx: Tx, isMine: Sql, number: number, action: Action, changes?: Sql): Promise<QuestionRow | undefined> {
  const deadline = action === "expire" ? sql`questions.expires_at <= ${tx.now}` : sql`questions.expires_at > ${tx.now}`;
  return tx.one<QuestionRow>(sql`
    update questions
    set state = ${stateAfter(action)} ${changes ? sql`, ${changes}` : sql.nothing}
    where ${isMine} and questions.number = ${number} and questions.state in (${sql.list(statesBefore(action))})
      and ${deadline}
    returning ${QUESTION_COLUMNS}`);
}

function closed(tx: Tx, by: string): Sql {
  return sql`closed_at = ${tx.now}, closed_by = ${by}`;
}

/**
 * A moment later than any at which an asker of the organization had news: the clock, or where that stands behind, a
 * millisecond after the last. The log's counter is locked, so what commits later is also told later.
 */
function nextTold(tx: Tx, organization: string): Sql {
  return sql`(
    select case when coalesce(max(t.told_at), 0) < ${tx.now} then cast(${tx.now} as bigint) else max(t.told_at) + 1 end
    from questions t
    where t.organization = ${organization} and t.told_at is not null)`;
}

/** Open questions: those whose deadline is over, or those that a member takes part in. */
export function listOpen(tx: Tx, organization: string, which: "overdue" | { readonly member: string }, limit: number) {
  const condition =
    which === "overdue" ? sql`expires_at <= ${tx.now}` : sql`(asker = ${which.member} or recipient = ${which.member})`;
  return tx.all<Pick<QuestionRow, "number" | "asker" | "recipient">>(sql`
    select number, asker, recipient
    from questions
    where organization = ${organization} and closed_at is null and ${condition}
    order by expires_at, number
    limit ${limit}`);
}

/** The organizations that have open questions whose deadline is over. */
export async function listOrganizationsWithOverdue(tx: Tx): Promise<string[]> {
  const rows = await tx.all<{ organization: string }>(sql`
    select distinct organization
    from questions
    where closed_at is null and expires_at <= ${tx.now}
    order by organization`);
  return rows.map((row) => row.organization);
}
