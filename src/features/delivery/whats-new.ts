import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, readHead } from "../../core/event-log.ts";
import { writtenBytes } from "../../core/frame.ts";
import { PAGES, pageSize } from "../../core/limits.ts";
import { defineHandover, type LookContext } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { findRoom } from "../rooms/queries.ts";
import { cursorField } from "./cursor-field.ts";
import { findOldestKept } from "./log-queries.ts";
import { countRemaining, type News, newsItem, readNews } from "./news.ts";
import { handOut, placeOf, type Stand, whereStands } from "./places.ts";
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
  since_event_id: z.int(),
  count: z.int(),
  events: z.array(newsItem),
  remaining: z.int(),
  remaining_capped: z.literal(true).optional(),
  has_more: z.boolean(),
  cursor: z.string(),
  expired_before: z.int().optional(),
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
  errors: ["unknown_cursor", "cursor_ahead", "epoch_changed"],
  untrusted: ["events[].detail", "room_onboarding"],
  example: { limit: 20 },

  async look(context, asked) {
    const { ack, peek = false } = asked;
    if (peek && ack !== undefined)
      throw fail("bad_input", { field: "ack", problem: "does not go with peek, which moves nothing" });
    // One event is enough to know that there is something to hand out.
    const look = await lookAtPlace(context, peek ? asked : { ...asked, limit: 1 });
    const { stand, news, welcome } = look;
    const acknowledges = ack !== undefined && stand.position > stand.row.position;
    if (!peek && (news.events.length > 0 || news.far || welcome || acknowledges)) return undefined;
    return answer(context, look);
  },

  async run(context, asked) {
    const look = await lookAtPlace(context, asked);
    const { stand, news, welcome } = look;
    await handOut(context, stand, { ...news, byAck: asked.ack !== undefined, welcome: welcome !== undefined });
    return answer(context, look);
  },
});

interface Look {
  readonly stand: Stand;
  readonly news: News;
  readonly welcome: Onboarding | undefined;
  readonly cursor: string;
}

async function lookAtPlace(context: LookContext, { ack, limit }: Input): Promise<Look> {
  const { tx, caller, room, answerBytes } = context;
  const head = await readHead(tx, caller.organization);
  const stand = await whereStands(context, placeOf(caller, room, "tool"), head, ack);
  const welcome = await findWelcome(context, stand);
  const bytes = answerBytes - (welcome ? writtenBytes(welcome) : 0);
  const news = await readNews(context, stand, head, { limit, bytes });
  return { stand, news, welcome, cursor: cursorOf(head, news.upTo) };
}

async function answer(context: LookContext, { stand, news, welcome, cursor }: Look): Promise<z.input<typeof output>> {
  const { tx, caller, room } = context;
  const { from, events } = news;
  const { remaining, remaining_capped } = await countRemaining(context, news.ahead);
  const missed =
    stand.row.position > 0 && events.length > 0
      ? await findOldestKept(tx, caller.organization, room.id, from)
      : undefined;
  return {
    room: room.name,
    you_are: caller.handle,
    since_event_id: from,
    count: events.length,
    events: [...events],
    remaining,
    ...(remaining_capped && { remaining_capped }),
    has_more: remaining > 0 || remaining_capped,
    cursor,
    ...(missed !== undefined && { expired_before: missed }),
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
