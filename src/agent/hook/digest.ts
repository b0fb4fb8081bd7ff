import { framePlain, lightBoundary, onOneLine, type PeerText } from "../../core/frame.ts";
import type { CaughtUp, NewsItem } from "../../features/delivery/catch-up-answer.ts";

/** What is printed at once, in characters as the client counts them: more it puts away, and shows the model a corner of it. */
export const LONGEST_DIGEST = 9_000;

/** A text for the model, and what of the news stands in it. */
export interface Digest {
  readonly text: string;
  /** Everything from this event on was shown; undefined when nothing was left out. */
  readonly shown_from?: number;
  /** Everything for the agent from this event on was shown; undefined when nothing of it was left out. */
  readonly for_you_from?: number;
}

/** The news as text: what others wrote inside a frame, the newest first to stay where there is too much, those for the agent before the rest. */
export function writeDigest(news: CaughtUp, today = new Date(), random = lightBoundary): Digest {
  const write = (item: NewsItem) => toPeerText(item, today, news.for_you < news.unread);
  const around = writeAround(news, [], WORST).join("\n").length;
  const shown = chooseItems(news.events, LONGEST_DIGEST - around - EMPTY_FRAME, write);
  const left = { all: news.unread - shown.length, forYou: news.for_you - shown.filter(isForYou).length };
  const [head = "", ...tail] = writeAround(news, shown, left, today);
  const framed = shown.length > 0 ? framePlain(shown.map(write), random, head) : head;
  const [forYou, others] = [isForYou, isForOthers].map((kind) => shownFrom(news.events.filter(kind), shown));
  return {
    text: [framed, ...tail].filter((line) => line !== "").join("\n"),
    ...(left.all > 0 && { shown_from: Math.max(others ?? 0, left.forYou > 0 ? (forYou ?? 0) : 0) }),
    ...(left.forYou > 0 && { for_you_from: forYou ?? 0 }),
  };
}

/** What is left out at most, for knowing how long the sentence about it gets. */
const WORST = { all: 9_999, forYou: 9_999 };

interface Left {
  readonly all: number;
  readonly forYou: number;
}

/** Our own words before and after the frame. Nothing in them was written by others but handles, numbers and names of rooms. */
function writeAround(news: CaughtUp, shown: readonly NewsItem[], left: Left, today = new Date()): string[] {
  const { room, unread, unread_capped, for_you, questions = [], inbox = 0 } = news;
  const more = unread_capped ? " or more" : "";
  const some = for_you < unread ? `, ${for_you} for you` : " for you";
  const head = `Crewroom ${room}: ${unread}${more} new${for_you > 0 ? some : ""}.`;
  const cut = left.forYou > 0 ? ` (${left.forYou} of them for you)` : "";
  return [
    unread > 0 ? head : "",
    left.all > 0 ? `${left.all}${more} older ones${cut} are left out here; whats_new lists them all.` : "",
    shown.some(({ cut: characters }) => characters) ? "read_messages gives a message whole." : "",
    ...questions.map((one) => onOneLine(`Question q${one.message_id}: ${wordsFor(one)}, ${momentOf(one.ts, today)}.`)),
    questions.length > 0 && inbox > 0 ? `${inbox} wait for an answer; check_inbox shows them.` : "",
  ];
}

type QuestionItem = NonNullable<CaughtUp["questions"]>[number];

function wordsFor({ kind, actor, from, to, assurance }: QuestionItem): string {
  const parties = [...(from === undefined ? [] : [`asked by ${from}`]), ...(to === undefined ? [] : [`of ${to}`])];
  const surely = assurance === undefined ? "" : `, ${assurance}`;
  return `${kind.replace("question_", "")} by ${actor}${surely}${parties.length > 0 ? ` (${parties.join(" ")})` : ""}`;
}

/** As many as fit: first the newest that are for the agent, then the newest of the others; both without a gap of their kind. */
function chooseItems(items: readonly NewsItem[], most: number, write: (item: NewsItem) => PeerText): NewsItem[] {
  let left = most;
  const chosen = new Set<NewsItem>();
  for (const kind of [isForYou, isForOthers]) {
    for (const item of items.filter(kind).toReversed()) {
      const length = lengthOf(write(item));
      if (length > left) break;
      left -= length;
      chosen.add(item);
    }
  }
  return items.filter((item) => chosen.has(item));
}

/** Boundaries are all of one length; which one it is cannot be known here, or a text could hold it. */
const EMPTY_FRAME = framePlain([], lightBoundary, " ").length;

/** In characters, as it stands in the frame. */
function lengthOf(text: PeerText): number {
  return framePlain([text], lightBoundary, " ").length - EMPTY_FRAME;
}

/** From which event on everything of a kind was shown. What the hub counted and did not send is older than all of its kind that it sent. */
function shownFrom(ofKind: readonly NewsItem[], shown: readonly NewsItem[]): number | undefined {
  const leftOut = ofKind.findLast((item) => !shown.includes(item));
  return leftOut ? leftOut.id + 1 : ofKind[0]?.id;
}

function isForYou({ for_you }: NewsItem): boolean {
  return for_you === true;
}
function isForOthers(item: NewsItem): boolean {
  return !isForYou(item);
}

/** `tellsWhose`: some are for the agent and some are not. */
function toPeerText(item: NewsItem, today: Date, tellsWhose: boolean): PeerText {
  const { kind, actor, ts, task_id, message_id, file_id, attachments = [], detail, cut, for_you, again } = item;
  const what = [
    message_id === null ? kind : `m${message_id}`,
    ...(task_id === null ? [] : [`#${task_id}`]),
    ...(file_id === undefined ? [] : [`f${file_id}`]),
    ...(attachments.length === 0 ? [] : ["with", ...attachments.map((number) => `f${number}`)]),
  ];
  const marks = [...(for_you && tellsWhose ? ["for you"] : []), ...(again ? ["perhaps shown before"] : [])];
  const label = [`${what.join(" ")} by ${actor} ${momentOf(ts, today)}`, ...marks].join(", ");
  return { label, text: cut ? `${detail}… (${cut} more characters)` : detail };
}

/** To the minute; without the date when it is today's. */
function momentOf(ts: string, today: Date): string {
  const [date, time = ""] = ts.split("T");
  const minute = `${time.slice(0, 5)}Z`;
  return date === today.toISOString().slice(0, 10) ? minute : `${date}T${minute}`;
}
