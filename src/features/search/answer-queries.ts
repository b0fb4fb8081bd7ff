import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import {
  type Finder,
  findPlace,
  findTexts,
  type Indexed,
  indexText,
  type SearchKey,
  type TextQuery,
} from "./queries.ts";

/** What was answered, with whom it is shared besides the two people. */
export interface AnsweredQuestion {
  readonly organization: string;
  readonly number: number;
  readonly asker: string;
  readonly recipient: string;
  readonly question: string;
  readonly answer: string;
  readonly shared: "no" | "organization" | { readonly room: number };
}

/** Makes an answer findable for its two people and those it is shared with, in the transaction that delivers it. */
export function indexAnswer(tx: Tx, answered: AnsweredQuestion): void {
  indexText(tx, ...findableAnswer(answered));
}

/** What is kept of an answer, and under which key. */
export function findableAnswer(answered: AnsweredQuestion): readonly [SearchKey, Indexed] {
  const { organization, number, asker, recipient, question, answer, shared } = answered;
  const others: Finder[] =
    shared === "no" ? [] : shared === "organization" ? ["everyone"] : [`#${shared.room}`, "rooms"];
  return [
    answerKey(organization, number),
    { finders: [`@${asker}`, `@${recipient}`, ...others], text: `${question}\n${answer}` },
  ];
}

/** Under what an answer is found. */
export function answerKey(organization: string, number: number) {
  return { organization, kind: "answer", room: 0, id: String(number) } as const;
}

/** An answer that somebody may read. Moments are ms since 1970, UTC. */
export interface AnswerRow {
  readonly number: number;
  readonly asker: string;
  readonly recipient: string;
  readonly question: string;
  readonly answer: string;
  readonly answered_at: number;
  readonly shared: "no" | "organization" | "room";
  readonly level: string | null;
}

/** Which answers: those with all of the words, or with any. */
export type AnswerQuery = Pick<TextQuery, "words" | "which" | "limit"> & {
  readonly before?: number | undefined;
};

/** Answers that the caller may read and that have these words. `before`: a question's number. */
export async function findAnswers(tx: Tx, caller: Caller, query: AnswerQuery): Promise<AnswerRow[]> {
  const found = await findTexts(tx, {
    ...query,
    organization: caller.organization,
    kinds: ["answer"],
    finders: findersOfAnswers(caller),
    before: query.before === undefined ? undefined : await placeOf(tx, caller, query.before),
  });
  const rows = await readAnswers(
    tx,
    caller,
    found.map(({ id }) => Number(id)),
  );
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  return found.flatMap(({ id }) => byNumber.get(Number(id)) ?? []);
}

/** As whom somebody looks for answers. */
export function findersOfAnswers({ handle, person = handle, ...where }: Caller): Finder[] {
  return [...new Set<Finder>([`@${person}`, `@${handle}`]), "everyone", ...findersOfRooms(where)];
}

/** As whom somebody looks for what is in the rooms. */
export function findersOfRooms({ allRooms, rooms }: Pick<Caller, "allRooms" | "rooms">): Finder[] {
  return allRooms ? ["rooms"] : [...rooms.values()].map(({ id }): Finder => `#${id}`);
}

/** Of one that the caller may not read there is no place either. */
async function placeOf(tx: Tx, caller: Caller, number: number): Promise<number | undefined> {
  const [row] = await readAnswers(tx, caller, [number]);
  return row && findPlace(tx, answerKey(caller.organization, row.number));
}

/** Those of these answers that the caller may read. */
export function readAnswers(tx: Tx, caller: Caller, numbers: readonly number[]): Promise<AnswerRow[]> {
  return tx.all<AnswerRow>(sql`
    select q.number, q.asker, q.recipient, q.question, q.answer, q.answered_at, q.shared, a.level
    from questions q
    left join approvals a on a.organization = q.organization and a.id = q.approval
    where q.organization = ${caller.organization} and q.number in (${sql.list(numbers)}) and ${mayRead(caller)}`);
}

/** A condition on `questions q`: answered, and the caller is one of the two people or shares what they shared. */
function mayRead({ handle, person = handle, rooms }: Caller): Sql {
  const me = sql.list([...new Set([person, handle])]);
  return sql`q.state = 'answered' and (
    q.asker in (${me}) or q.recipient in (${me}) or q.shared = 'organization'
    or (q.shared = 'room' and q.shared_room in (${sql.list([...rooms.values()].map(({ id }) => id))})))`;
}
