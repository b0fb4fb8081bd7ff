import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, readHead } from "../../core/event-log.ts";
import { writtenBytes } from "../../core/frame.ts";
import { PAGES, pageSize } from "../../core/limits.ts";
import { defineHandover, type LookContext } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { findRoom } from "../rooms/queries.ts";
import { cursorField } from "./cursor-field.ts";
import { event, toEventAnswer } from "./event-answer.ts";
import { countRemaining, type News, NEWS_MARKS, readNews } from "./news.ts";
import { followQuestions, followRoom, handOut, type Stand, whereStands } from "./places.ts";
import { bytesOf, questionAnswer, questionFields, type QuestionNews, readQuestionNews } from "./question-news.ts";
import { isWelcomed } from "./queries.ts";

const onboarding = z.object({
  description: z.string(),
  repo_url: z.string(),
  onboarding_notes: z.string(),
  set_by: z.string().nullable(),
  set_ts: isoMoment.nullable(),
});
type Onboarding = z.input<typeof onboarding>;

const input = z.object({
  ack: cursorField("Cursor you have dealt with; then only your ack moves your place").optional(),
  peek: z.boolean().optional().describe("Move nothing"),
  limit: pageSize(PAGES.news),
});
type Input = z.output<typeof input>;

const output = z.object({
  room: z.string(),
  you_are: z.string(),
  ...questionFields,
  since_event_id: z.int(),
  count: z.int(),
  events: z.array(event.extend(NEWS_MARKS)),
  remaining: z.int(),
  remaining_capped: z.literal(true).optional(),
  has_more: z.boolean(),
  cursor: z.string(),
  room_onboarding: onboarding.optional(),
});

export const whatsNew = defineHandover({
  name: "whats_new",
  title: "What's new",
  description:
    "What others did in the room since your last look, oldest first. Call it on starting and between steps, again while has_more.",
  needs: "read",
  always: true,
  input,
  output,
  errors: ["unknown_cursor", "cursor_ahead", "cursor_expired", "epoch_changed"],
  untrusted: ["events[].detail", "room_onboarding"],
  example: { limit: 20 },

  async look(context, asked) {
    const { ack, peek = false } = asked;
    if (peek && ack !== undefined)
      throw fail("bad_input", { field: "ack", problem: "does not go with peek, which moves nothing" });
    // One event is enough to know that there is something to hand out.
    const look = await lookAtPlaces(context, peek ? asked : { ...asked, limit: 1 });
    const { room, welcome, questions } = look;
    if (!peek && (welcome || isWorthNoting(room, asked) || (questions && isWorthNoting(questions, asked))))
      return undefined;
    return answer(context, look);
  },

  async run(context, asked) {
    const look = await lookAtPlaces(context, asked);
    const { room, welcome, questions } = look;
    const byAck = asked.ack !== undefined;
    if (welcome || isWorthNoting(room, asked))
      await handOut(context, room.stand, { ...room.news, byAck, welcome: welcome !== undefined });
    if (questions && isWorthNoting(questions, asked))
      await handOut(context, questions.stand, { ...questions.news, byAck, welcome: false });
    return answer(context, look);
  },
});

/** News and the place they are of. */
interface Looked<Item> {
  readonly stand: Stand;
  readonly news: News<Item>;
}
interface Look {
  readonly room: Looked<z.input<typeof event>>;
  readonly welcome: Onboarding | undefined;
  readonly questions: QuestionNews | undefined;
  readonly cursor: string;
}

/** Whether there is something to hand out, or so much was passed over or acknowledged that the place is to be moved. */
function isWorthNoting({ stand, news }: Looked<unknown>, { ack }: Pick<Input, "ack">): boolean {
  return news.items.length > 0 || news.far || (ack !== undefined && stand.position > stand.row.position);
}

async function lookAtPlaces(context: LookContext, { ack, limit }: Input): Promise<Look> {
  const { tx, caller, room, answerBytes } = context;
  const head = await readHead(tx, caller.organization);
  const stand = await whereStands(context, followRoom(caller, room, caller.path), head, ack);
  const welcome = await findWelcome(context, stand);
  const left = answerBytes - (welcome ? writtenBytes(welcome) : 0);
  // Who acts for no person is asked for nothing more.
  const followed = followQuestions(caller, caller.path);
  const questions = followed && (await readQuestionNews(context, followed, head, { ack, limit, bytes: left }));
  const bytes = left - (questions ? bytesOf(questions) : 0);
  const news = await readNews(tx, stand, head, { limit, bytes }, (events) =>
    events.map((logged) => toEventAnswer(logged, caller.handle)),
  );
  // It is acknowledged for both places, so it stands for no more than both have shown.
  const upTo = Math.min(news.upTo, questions?.news.upTo ?? news.upTo);
  return { room: { stand, news }, welcome, questions, cursor: cursorOf(head, upTo) };
}

async function answer(
  context: LookContext,
  { room, welcome, questions, cursor }: Look,
): Promise<z.input<typeof output>> {
  const { tx, caller } = context;
  const { stand, news } = room;
  const { remaining, capped } = await countRemaining(tx, stand.news, news.ahead);
  const personal = questions && (await questionAnswer(context, questions));
  return {
    ...personal?.first,
    room: context.room.name,
    you_are: caller.handle,
    ...personal?.fields,
    since_event_id: news.from,
    count: news.items.length,
    events: [...news.items],
    remaining,
    ...(capped && { remaining_capped: true as const }),
    has_more: remaining > 0 || capped || personal?.hasMore === true,
    cursor,
    ...(welcome && { room_onboarding: welcome }),
  };
}

/** What a newcomer is shown once: by credential, not by session, and only when there is something to show. */
async function findWelcome({ tx, caller, room }: LookContext, { key, row }: Stand): Promise<Onboarding | undefined> {
  if (row.welcomed_at !== null) return undefined;
  const info = await findRoom(tx, caller.organization, room.id);
  if (!info || !(info.description || info.onboarding_notes)) return undefined;
  if (await isWelcomed(tx, key)) return undefined;
  const { description, repo_url, onboarding_notes, info_set_by, info_set_at } = info;
  return { description, repo_url, onboarding_notes, set_by: info_set_by, set_ts: toIso(info_set_at) };
}
