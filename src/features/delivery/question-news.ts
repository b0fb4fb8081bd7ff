import { z } from "zod";
import type { LogHead } from "../../core/event-log.ts";
import type { LoggedEvent } from "../../core/events.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { writtenBytes } from "../../core/frame.ts";
import type { Caller, LookContext } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { LEVELS } from "../approval/model.ts";
import { countRemaining, type News, NEWS_MARKS, readNews } from "./news.ts";
import { type Followed, type Stand, whereStands } from "./places.ts";
import { countWaiting, listParties } from "./question-queries.ts";
import { MOST_COUNTED } from "./scan.ts";

/**
 * What happened to a question, in numbers and handles: never a text. `id` is the event's position, `message_id` the question's
 * number; `assurance` says of an answer how surely `actor` approved it.
 */
const questionEvent = z.object({
  id: z.int(),
  ts: isoMoment,
  kind: z.string(),
  actor: z.string(),
  message_id: z.int(),
  from: z.string().optional(),
  to: z.string().optional(),
  assurance: z.enum(LEVELS).optional(),
});
export type QuestionEvent = z.input<typeof questionEvent>;

/** What whats_new adds for those who act for a person. `inbox`: how many questions wait for it. */
export const questionFields = {
  next: z.string().optional(),
  inbox: z.int().optional(),
  questions: z.array(questionEvent.extend(NEWS_MARKS)).optional(),
  questions_remaining: z.int().optional(),
};

/** An answer gives more in any case while there is more; the rest of it is for the room. */
const MOST_QUESTIONS = 20;

export interface QuestionNews {
  readonly stand: Stand;
  readonly news: News<QuestionEvent>;
}

/** The news of the questions that the caller follows; see `followQuestions`. */
export async function readQuestionNews(
  context: LookContext,
  followed: Followed,
  head: LogHead,
  { ack, limit, bytes }: { ack: string | number | undefined; limit: number; bytes: number },
): Promise<QuestionNews> {
  const { tx, caller } = context;
  const { organization, person = "" } = caller;
  const stand = await whereStands(context, followed, head, ack);
  const size = { limit: Math.min(limit, MOST_QUESTIONS), bytes };
  const news = await readNews(tx, stand, head, size, (events) => writeQuestionEvents(tx, organization, person, events));
  return { stand, news };
}

/** Bytes that they take of an answer. */
export function bytesOf({ news }: QuestionNews): number {
  return writtenBytes(news.items);
}

/** What an answer says of them, and what it begins with: the next step. */
export async function questionAnswer({ tx, caller }: LookContext, { stand, news }: QuestionNews) {
  const { organization, person = "" } = caller;
  const { remaining, capped } = await countRemaining(tx, stand.news, news.ahead);
  const readers = new Set(news.items.flatMap((item) => readerOf(item, caller)));
  return {
    first: readers.size > 0 ? { next: `Read the questions with ${[...readers].join(" and ")}.` } : {},
    fields: {
      inbox: await countWaiting(tx, organization, person, MOST_COUNTED),
      questions: [...news.items],
      ...(remaining > 0 && { questions_remaining: remaining }),
    },
    hasMore: remaining > 0 || capped,
  };
}

/** Where the caller finds the text: an answer in its replies, what waits for its person in the inbox. */
function readerOf({ from, to }: QuestionEvent, { handle, person }: Caller): string[] {
  if (from === person || from === handle) return ["check_replies"];
  return to === person ? ["check_inbox"] : [];
}

/**
 * Events of questions as `person` may know them. `from` and `to` are who asks whom now; whose question it is no more, because
 * it was handed on, is not told to whom.
 */
export async function writeQuestionEvents(
  tx: Tx,
  organization: string,
  person: string,
  events: readonly LoggedEvent[],
): Promise<QuestionEvent[]> {
  const numbers = events.flatMap(({ question }) => (question === null ? [] : [question]));
  const parties = numbers.length === 0 ? [] : await listParties(tx, organization, numbers);
  const byNumber = new Map(parties.map((one) => [one.number, one]));
  return events.map(({ position: id, at, kind, actor, question }) => {
    const { asker, asking, recipient, level } = byNumber.get(question ?? 0) ?? {};
    const isParty = person === asking || person === recipient;
    return {
      id,
      ts: toIso(at),
      kind,
      actor,
      message_id: question ?? 0,
      ...(asker !== undefined && { from: asker }),
      ...(isParty && { to: recipient }),
      ...(isParty && kind === "question_answered" && level && { assurance: level }),
    };
  });
}
