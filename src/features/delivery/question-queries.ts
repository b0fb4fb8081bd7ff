import { type EventQuery, listEvents } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { PlaceKey } from "./queries.ts";

/** Who asks whom, as it stands now. `asking`: the person on whose side the asker is. */
export interface Parties {
  readonly number: number;
  readonly asker: string;
  readonly asking: string;
  readonly recipient: string;
}

export function listParties(tx: Tx, organization: string, questions: readonly number[]): Promise<Parties[]> {
  return tx.all<Parties>(sql`
    select q.number, q.asker, coalesce(m.owner, m.handle) as asking, q.recipient
    from questions q
    join members m on m.organization = q.organization and m.handle = q.asker
    where q.organization = ${organization} and q.number in (${sql.list(questions)})`);
}

/** How many questions wait for a person, counted no further than `most`. */
export async function countWaiting(tx: Tx, organization: string, person: string, most: number): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from (
      select 1 as one
      from questions
      where organization = ${organization} and recipient = ${person} and closed_at is null and expires_at > ${tx.now}
      limit ${most}) counted`);
  return row?.count ?? 0;
}

/** Receipts looked for in one hand-over; a page of news has far fewer. */
const MOST_AT_ONCE = 500;

/** Writes receipts for the questions between two positions that were handed to the one they wait for, or to its agent. */
export async function recordQuestionHandovers(
  tx: Tx,
  key: PlaceKey,
  news: Omit<EventQuery, "limit"> & { readonly member: string },
  { from, to }: { from: number; to: number },
): Promise<void> {
  const events = await listEvents(tx, { ...news, after: from, before: to + 1, limit: MOST_AT_ONCE });
  const questions = events.flatMap(({ kind, question }) => (ASKS.has(kind) && question !== null ? [question] : []));
  if (questions.length === 0) return;
  await tx.run(sql`
    insert into question_receipts (organization, question, member, handed_over_at, handed_over_path, handed_over_session)
    select organization, number, recipient, cast(${tx.now} as bigint), cast(${key.path} as text), cast(${key.session} as text)
    from questions
    where organization = ${key.organization} and number in (${sql.list(questions)}) and recipient = ${news.member}
    on conflict do nothing`);
}

/** What brings a question to somebody. */
const ASKS: ReadonlySet<string> = new Set(["question_asked", "question_redirected"]);

/** When a question's news were handed to a member first, and by which path to which session. */
export interface QuestionReceipt {
  readonly question: number;
  readonly member: string;
  readonly at: number;
  readonly path: string;
  readonly session: string;
}

export async function listQuestionReceipts(
  tx: Tx,
  organization: string,
  questions: readonly number[],
): Promise<QuestionReceipt[]> {
  if (questions.length === 0) return [];
  return tx.all<QuestionReceipt>(sql`
    select question, member, handed_over_at as at, handed_over_path as path, handed_over_session as session
    from question_receipts
    where organization = ${organization} and question in (${sql.list(questions)})`);
}
