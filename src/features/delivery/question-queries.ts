import { type EventQuery, listEvents } from "../../core/event-log.ts";
import type { EventKind, LoggedEvent } from "../../core/events.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { Level } from "../approval/model.ts";
import type { PlaceKey } from "./queries.ts";

/**
 * Who asks whom, as it stands now. `asking`: the person on whose side the asker is. `level`: how surely the answer was approved,
 * null while there is none.
 */
export interface Parties {
  readonly number: number;
  readonly asker: string;
  readonly asking: string;
  readonly recipient: string;
  readonly level: Level | null;
}

export function listParties(tx: Tx, organization: string, questions: readonly number[]): Promise<Parties[]> {
  return tx.all<Parties>(sql`
    select q.number, q.asker, coalesce(m.owner, m.handle) as asking, q.recipient, a.level
    from questions q
    join members m on m.organization = q.organization and m.handle = q.asker
    left join approvals a on a.organization = q.organization and a.id = q.approval
    where q.organization = ${organization} and q.number in (${sql.list(questions)})`);
}

/** A question that a person asked, itself or through its agent, or that waits or waited for it. Moments are ms since 1970. */
export function findAsked(
  tx: Tx,
  organization: string,
  person: string,
  question: number,
): Promise<
  (Omit<Parties, "level"> & { readonly closed_at: number | null; readonly answered_at: number | null }) | undefined
> {
  return tx.one(sql`
    select q.number, q.asker, coalesce(m.owner, m.handle) as asking, q.recipient, q.closed_at, q.answered_at
    from questions q
    join members m on m.organization = q.organization and m.handle = q.asker
    where q.organization = ${organization} and q.number = ${question}
      and (q.recipient = ${person} or q.asker = ${person} or m.owner = ${person})`);
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

/** Writes receipts for the questions, and the answers, between two positions that were handed to the one they are for, or to its agent. */
export async function recordQuestionHandovers(
  tx: Tx,
  key: PlaceKey,
  news: Omit<EventQuery, "limit"> & { readonly member: string },
  { from, to }: { from: number; to: number },
): Promise<void> {
  const events = await listEvents(tx, { ...news, after: from, before: to + 1, limit: MOST_AT_ONCE });
  for (const told of toldBy(key.organization, news.member, events)) {
    await tx.run(sql`
      insert into question_receipts (organization, question, member, handed_over_at, handed_over_path, handed_over_session)
      select q.organization, q.number, ${told.member}, cast(${tx.now} as bigint), cast(${key.path} as text),
        cast(${key.session} as text)
      ${told.questions}
      on conflict (organization, question, member) do update
      set handed_over_at = excluded.handed_over_at,
        handed_over_path = excluded.handed_over_path,
        handed_over_session = excluded.handed_over_session
      where question_receipts.handed_over_at is null`);
  }
}

/** Notes by which path a person's side was woken first for questions, and for answers to its own. */
export async function recordQuestionNudges(
  tx: Tx,
  organization: string,
  { person, path }: { readonly person: string; readonly path: string },
  events: readonly QuestionKind[],
): Promise<void> {
  for (const told of toldBy(organization, person, events)) {
    await tx.run(sql`
      insert into question_receipts (organization, question, member, nudged_at, nudged_path)
      select q.organization, q.number, ${told.member}, cast(${tx.now} as bigint), cast(${path} as text)
      ${told.questions}
      on conflict (organization, question, member) do update
      set nudged_at = excluded.nudged_at, nudged_path = excluded.nudged_path
      where question_receipts.nudged_at is null`);
  }
}

type QuestionKind = Pick<LoggedEvent, "kind" | "question">;

/** What brings a question to somebody, and what brings its end to who asked. */
const ASKS: ReadonlySet<EventKind> = new Set(["question_asked", "question_redirected"]);
const ENDS: ReadonlySet<EventKind> = new Set(["question_answered", "question_declined", "question_expired"]);

/** What of these events is for a person: the questions that wait for it, and the ends of those that its side asked. */
function toldBy(
  organization: string,
  person: string,
  events: readonly QuestionKind[],
): { readonly member: Sql; readonly questions: Sql }[] {
  const numbersOf = (kinds: ReadonlySet<EventKind>) =>
    events.flatMap(({ kind, question }) => (kinds.has(kind) && question !== null ? [question] : []));
  const [asked, ended] = [numbersOf(ASKS), numbersOf(ENDS)];
  const from = (numbers: readonly number[]) => sql`
    from questions q
    join members m on m.organization = q.organization and m.handle = q.asker
    where q.organization = ${organization} and q.number in (${sql.list(numbers)})`;
  return [
    ...(asked.length === 0
      ? []
      : [{ member: sql`q.recipient`, questions: sql`${from(asked)} and q.recipient = ${person}` }]),
    ...(ended.length === 0
      ? []
      : [{ member: sql`q.asker`, questions: sql`${from(ended)} and (q.asker = ${person} or m.owner = ${person})` }]),
  ];
}

/** How the news of a question came to a member: the question to its recipient, its end to its asker. */
export interface QuestionReceipt {
  readonly question: number;
  readonly member: string;
  readonly nudged_at: number | null;
  readonly nudged_path: string | null;
  readonly handed_over_at: number | null;
  readonly handed_over_path: string | null;
  readonly handed_over_session: string | null;
}

export async function listQuestionReceipts(
  tx: Tx,
  organization: string,
  questions: readonly number[],
): Promise<QuestionReceipt[]> {
  if (questions.length === 0) return [];
  return tx.all<QuestionReceipt>(sql`
    select question, member, nudged_at, nudged_path, handed_over_at, handed_over_path, handed_over_session
    from question_receipts
    where organization = ${organization} and question in (${sql.list(questions)})`);
}
