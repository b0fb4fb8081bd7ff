import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, type LogHead, positionOf, readHead } from "../../core/event-log.ts";
import { toIso } from "../../core/fields.ts";
import { defineHandover, type HandoverContext, type LookContext } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { listHeldTasks } from "../board/held-queries.ts";
import { leaseEndOf } from "../board/leases.ts";
import { caughtUp, type HeldTask } from "./catch-up-answer.ts";
import { type Newest, readNewest, type ShownStand } from "./catch-up-news.ts";
import { findFurthest, markPassedOver } from "./catch-up-queries.ts";
import { cursorField } from "./cursor-field.ts";
import { type News, readNews } from "./news.ts";
import { dropOldestPlaces } from "./place-queries.ts";
import { type Followed, followQuestions, followRoom } from "./places.ts";
import { type QuestionEvent, writeQuestionEvents } from "./question-news.ts";
import { countWaiting, recordQuestionHandovers } from "./question-queries.ts";
import { findPlace, findShown, movePlace, offer, recordHandovers } from "./queries.ts";
import { MOST_COUNTED } from "./scan.ts";
import { decideAndNote } from "../wakes/may-wake.ts";
import { hasWakes, rearm } from "../wakes/queries.ts";

const input = z.object({
  show: z
    .enum(["news", "if_for_you", "standing", "nothing"])
    .default("news")
    .describe("if_for_you: news only when some are for you; standing: what you hold; nothing: only acknowledge"),
  ack: cursorField("Cursor of what was printed last; 0 for nothing yet").optional(),
  shown_from: z.int().min(0).optional().describe("Oldest event from which on all of it was printed; all unless given"),
  for_you_from: z.int().min(0).optional().describe("The same of those for you"),
  prompted: z.boolean().optional().describe("A person has just spoken to the session"),
});
type Input = z.output<typeof input>;

export const catchUp = defineHandover({
  name: "catch_up",
  title: "Catch up",
  description:
    "What a hook prints for its agent without being asked: the newest of what others did, what is for the agent before the rest. Agents ask whats_new.",
  needs: "read",
  notForAgents: true,
  input,
  output: caughtUp,
  errors: ["unknown_cursor", "cursor_ahead", "epoch_changed"],
  untrusted: ["events[].detail"],
  example: {},

  async look(context, asked) {
    const { tx, caller } = context;
    if (asked.prompted && (await hasWakes(tx, caller.organization, caller.handle))) return undefined;
    const look = await lookAround(context, asked);
    return isWorthNoting(look) ? undefined : answer(context, asked, look);
  },

  async run(context, asked) {
    const { tx, caller } = context;
    if (asked.prompted) await rearm(tx, caller.organization, caller.handle);
    const look = await lookAround(context, await withoutWaking(context, asked));
    const { room, questions } = look;
    await handOut(context, room, asked);
    if (questions) await handOut(context, questions, asked);
    return answer(context, asked, look);
  },
});

/** At the end of a turn news wake the session anew, as a line of the watcher does: so it must be one that may be woken. */
async function withoutWaking(context: HandoverContext, asked: Input): Promise<Input> {
  if (asked.show !== "if_for_you") return asked;
  const { room, questions } = await lookAround(context, asked);
  const items = [...(room.offered === undefined ? [] : room.news.items), ...(questions?.news.items ?? [])];
  const forYou = items.filter((item) => item.for_you).map(({ id }) => id);
  if (forYou.length === 0) return asked;
  const decided = await decideAndNote(context, forYou);
  // What the session was woken for by another way it has not read by that.
  return "refused" in decided && decided.refused !== "nothing_new" ? { ...asked, show: "nothing" } : asked;
}

/** A place, and up to where it is handed out with this answer; undefined when nothing of it is. */
interface Handed {
  readonly stand: ShownStand;
  readonly offered: number | undefined;
  /** Nothing but own activity lies behind it, and so much that the place is moved. */
  readonly passed: boolean;
}
interface Look {
  readonly head: LogHead;
  readonly room: Handed & { readonly news: Newest };
  readonly questions: (Handed & { readonly news: News<QuestionEvent> }) | undefined;
}

/** Questions come in numbers and handles, so that these are more than a hook has room for. */
const MOST_QUESTIONS = 20;

async function lookAround(context: LookContext, asked: Input): Promise<Look> {
  const { tx, caller, room, answerBytes } = context;
  const head = await readHead(tx, caller.organization);
  const stand = await standOf(tx, followRoom(caller, room, PATH), head, asked.ack);
  const news = await readNewest(tx, stand, answerBytes);
  const followed = followQuestions(caller, PATH);
  const asking = followed && (await standOf(tx, followed, head, asked.ack));
  const questions = asking && (await readQuestions(tx, asking, head, answerBytes));
  const isShown =
    asked.show === "news" ||
    (asked.show === "if_for_you" && (news.forYou > 0 || questions?.items.some((item) => item.for_you) === true));
  return {
    head,
    room: {
      stand,
      news,
      offered: isShown && news.items.length > 0 ? head.position : undefined,
      passed: news.far && news.ended && news.unread === 0,
    },
    questions: asking &&
      questions && {
        stand: asking,
        news: questions,
        offered: isShown && questions.items.length > 0 ? questions.upTo : undefined,
        passed: false,
      },
  };
}

/** The place that texts come to by themselves. */
const PATH = "hook";

/** Where a session stands: behind what it acknowledges, and behind what its other paths have shown; a new one where its credential has come to. */
async function standOf(
  tx: Tx,
  followed: Followed,
  head: LogHead,
  ack: string | number | undefined,
): Promise<ShownStand> {
  const row = await findPlace(tx, followed.key);
  const acked = ack === undefined ? undefined : Math.min(positionOf(head, ack), row?.offered ?? 0);
  const elsewhere = row ? (await findShown(tx, followed.key)).position : await findFurthest(tx, followed.key);
  return { ...followed, row, acked, from: Math.max(row?.position ?? 0, acked ?? 0, elsewhere) };
}

function readQuestions(tx: Tx, stand: ShownStand, head: LogHead, bytes: number): Promise<News<QuestionEvent>> {
  const { key, news, from } = stand;
  const { organization, member = "" } = news;
  const row = stand.row ?? { position: 0, offered: 0, offered_by: "", offered_at: 0, welcomed_at: null };
  const open = [{ from, to: null }];
  return readNews(
    tx,
    { key, news, row, position: from, open, elsewhere: undefined },
    head,
    { limit: MOST_QUESTIONS, bytes },
    (events) => writeQuestionEvents(tx, organization, member, events),
  );
}

function isWorthNoting({ room, questions }: Look): boolean {
  return [room, questions].some((handed) => handed && isToBeNoted(handed));
}

/** A session's first call is noted in any case: what others of its credential see from then on is still news to it. */
function isToBeNoted({ stand, offered, passed }: Handed): boolean {
  const { row, acked = 0 } = stand;
  return row === undefined || offered !== undefined || passed || acked > row.position;
}

/** Notes what this answer hands out, and confirms what is acknowledged with the call; without that, what will have been written out. */
async function handOut(context: HandoverContext, handed: Handed, asked: Input): Promise<void> {
  if (!isToBeNoted(handed)) return;
  const { tx, caller, room, settings, whenSettled } = context;
  const { stand, offered = 0, passed } = handed;
  const { key, row, from, acked = 0 } = stand;
  const { position: head } = await readHead(tx, caller.organization);
  const position = passed ? head : from;
  const noted = await offer(tx, key, {
    position,
    offered: Math.max(row?.offered ?? 0, offered, position),
    node: settings.node,
  });
  // Deleted after the call was let in.
  if (!noted) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
  if (!row) await dropOldestPlaces(tx, key);
  if (row && acked > row.position) await confirm(tx, stand, { from: row.position, to: acked }, asked);
  if (asked.ack === undefined && offered > 0)
    whenSettled((written) => (written ? (after) => movePlace(after, key, offered) : undefined));
}

/** Receipts for what was printed, and for nothing that was left out. */
async function confirm(
  tx: Tx,
  { key, news }: ShownStand,
  { from, to }: { readonly from: number; readonly to: number },
  { shown_from = 0, for_you_from = 0 }: Input,
): Promise<void> {
  const { member, notBy } = news;
  if (member !== undefined) return recordQuestionHandovers(tx, key, { ...news, member }, { from, to });
  await recordHandovers(tx, key, notBy, { from: Math.max(from, for_you_from - 1), to });
  if (shown_from > 0) await markPassedOver(tx, key, Math.min(shown_from - 1, to));
}

async function answer(context: LookContext, asked: Input, look: Look): Promise<z.input<typeof caughtUp>> {
  const { caller, room } = context;
  const { head, room: ofRoom, questions } = look;
  const { unread, capped, forYou, items } = ofRoom.news;
  const upTo = Math.min(ofRoom.offered ?? head.position, questions?.offered ?? head.position);
  return {
    room: room.name,
    you_are: caller.handle,
    events: ofRoom.offered === undefined ? [] : [...items],
    unread,
    ...(capped && { unread_capped: true as const }),
    for_you: forYou,
    ...(questions && (await questionsOf(context, questions))),
    ...(asked.show === "standing" && { holds: await heldBy(context) }),
    cursor: cursorOf(head, upTo),
  };
}

async function questionsOf({ tx, caller }: LookContext, { offered, news }: NonNullable<Look["questions"]>) {
  const { organization, person = "" } = caller;
  return {
    inbox: await countWaiting(tx, organization, person, MOST_COUNTED),
    ...(offered !== undefined && { questions: [...news.items] }),
  };
}

/** More than anybody holds; what is beyond is not told of. */
const MOST_HELD = 50;

async function heldBy({ tx, caller }: LookContext): Promise<HeldTask[]> {
  const rooms = [...caller.rooms.values()].map(({ id }) => id);
  const rows = await listHeldTasks(tx, caller, rooms, MOST_HELD);
  return rows.map((row) => ({
    room: row.room,
    task_id: row.number,
    status: row.status,
    lease_ends_at: toIso(leaseEndOf(row)),
    here: row.holder_session === caller.session || row.holder_session === "-",
  }));
}
