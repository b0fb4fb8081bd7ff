import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { Level } from "../approval/model.ts";
import type { State } from "./model.ts";

/** A question as it is kept. Moments are ms since 1970, UTC. */
export interface QuestionRow {
  readonly number: number;
  readonly asker: string;
  readonly recipient: string;
  /** The person or its agent that made the call. */
  readonly asked_by: string;
  readonly question: string;
  /** A JSON list of texts. */
  readonly options: string;
  readonly state: State;
  readonly thread: number;
  readonly follows: number | null;
  /** The revision that counts now. */
  readonly draft: number | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly closed_by: string | null;
  readonly reason: string;
  readonly answer: string | null;
  readonly answered_at: number | null;
  readonly told_at: number | null;
  readonly approval: string | null;
  readonly shared: "no" | "organization" | "room";
  readonly shared_room: number | null;
}

/** Columns of `questions` under its own name: they stand in `returning` too, where there is no alias. */
export const QUESTION_COLUMNS = sql`
  questions.number, questions.asker, questions.recipient, questions.asked_by, questions.question, questions.options,
  questions.state, questions.thread, questions.follows, questions.draft, questions.created_at, questions.expires_at,
  questions.closed_by, questions.reason, questions.answer, questions.answered_at, questions.told_at, questions.approval,
  questions.shared, questions.shared_room`;

/**
 * A condition on `questions`: asked by the person that the caller acts for, or by the caller itself. Every query has this one
 * or the next in it, so that whose question it is not learns nothing of it.
 */
export function isAsker(caller: Caller): Sql {
  return sql`questions.organization = ${caller.organization} and questions.asker in (${sql.list(asAskers(caller))})`;
}

/** The members whose questions are the caller's. */
function asAskers({ handle, person = handle }: Caller): string[] {
  return [...new Set([person, handle])];
}

/** A condition on `questions`: asked of the person that the caller acts for. */
export function isRecipient({ organization, handle, person = handle }: Caller): Sql {
  return sql`questions.organization = ${organization} and questions.recipient = ${person}`;
}

/** A condition on `questions` for the hub itself, which nobody's question is hidden from. */
export function isOf(organization: string): Sql {
  return sql`questions.organization = ${organization}`;
}

/** A question, if the caller stands on this side of it. */
export function findQuestion(tx: Tx, isMine: Sql, number: number): Promise<QuestionRow | undefined> {
  return tx.one<QuestionRow>(sql`
    select ${QUESTION_COLUMNS}
    from questions
    where ${isMine} and questions.number = ${number}`);
}

/** The draft that counts now, with why its person rejected it if it did. */
export interface DraftRow {
  readonly text: string;
  readonly written_by: string;
  readonly at: number;
}

export interface WaitingRow extends QuestionRow {
  readonly draft_text: string | null;
  readonly draft_by: string | null;
  /** The request for approval that is open, and the reason of the newest that was rejected while this draft stood. */
  readonly open_approval: string | null;
  readonly rejected: string | null;
}

/**
 * What waits for the caller's person, oldest first, after question `since`. Numbers are given in the order of asking. "+": for
 * the sake of that order SQLite would go through the questions of the whole organization.
 */
export function listWaiting(tx: Tx, caller: Caller, since: number, limit: number): Promise<WaitingRow[]> {
  return tx.all<WaitingRow>(sql`
    select ${QUESTION_COLUMNS}, d.text as draft_text, d.written_by as draft_by,
      (select a.id from approvals a
        where a.organization = questions.organization and a.question = questions.number and a.state = 'open') as open_approval,
      (select a.reason from approvals a
        where a.organization = questions.organization and a.question = questions.number and a.state = 'rejected'
          and a.revision = questions.draft
        order by a.decided_at desc limit 1) as rejected
    from questions
    left join drafts d
      on d.organization = questions.organization and d.question = questions.number and d.revision = questions.draft
    where ${isRecipient(caller)} and questions.closed_at is null and questions.number > ${since}
      and questions.expires_at > ${tx.now}
    order by +questions.number
    limit ${limit}`);
}

export function findDraft(
  tx: Tx,
  organization: string,
  number: number,
  revision: number | null,
): Promise<DraftRow | undefined> {
  return tx.one<DraftRow>(sql`
    select text, written_by, at
    from drafts
    where organization = ${organization} and question = ${number} and revision = ${revision}`);
}

/** News of a question for its asker, with how surely its answer was approved. Of drafts it has nothing. */
export interface NewsRow extends QuestionRow {
  readonly told_at: number;
  readonly level: Level | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
}

/** What became of the caller's own questions after `since` (ms), in the order it was told. */
export function listNews(tx: Tx, caller: Caller, since: number, limit: number): Promise<NewsRow[]> {
  // Of each asker on its own: both databases then merge what an index has in order, and stop at the limit.
  const news = asAskers(caller).map(
    (asker) => sql`
      select ${QUESTION_COLUMNS}, a.level, a.decided_by, a.decided_at
      from questions
      left join approvals a on a.organization = questions.organization and a.id = questions.approval
      where questions.organization = ${caller.organization} and questions.asker = ${asker} and questions.told_at > ${since}`,
  );
  return tx.all<NewsRow>(sql`
    ${sql.join(news, " union all ")}
    order by told_at
    limit ${limit}`);
}

/** The caller's own questions that wait for an answer, oldest first. */
export function listAsked(tx: Tx, caller: Caller, limit: number): Promise<QuestionRow[]> {
  return tx.all<QuestionRow>(sql`
    select ${QUESTION_COLUMNS}
    from questions
    where ${isAsker(caller)} and questions.closed_at is null and questions.expires_at > ${tx.now}
    order by questions.number
    limit ${limit}`);
}

/** When the caller last had news of any of its questions (ms); 0 for never. */
export async function latestNewsAt(tx: Tx, caller: Caller): Promise<number> {
  const row = await tx.one<{ told: number }>(sql`
    select coalesce(max(questions.told_at), 0) as told
    from questions
    where ${isAsker(caller)}`);
  return row?.told ?? 0;
}

/** How surely an answer must be approved in this organization. */
export async function minimumOf(tx: Tx, organization: string): Promise<Level> {
  const row = await tx.one<{ minimum_assurance: Level }>(
    sql`select minimum_assurance from organizations where id = ${organization}`,
  );
  if (!row) throw new Error(`There is no organization ${organization}.`);
  return row.minimum_assurance;
}
