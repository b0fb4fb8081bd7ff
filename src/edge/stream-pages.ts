import { isRoomThere } from "../access/queries.ts";
import { listEvents, type LogHead, readHead } from "../core/event-log.ts";
import type { LoggedEvent } from "../core/events.ts";
import { LIMITS } from "../core/limits.ts";
import type { Store, Tx } from "../store/store.ts";
import { type ChatMessage, type Question, type WrittenEvent, writeEvent, writeQuestion } from "./stream-frames.ts";

/** What an edge cannot know by itself. */
export interface StreamReaders {
  /** The messages of these numbers, as `chat` frames carry them. */
  readonly messages: (
    tx: Tx,
    organization: string,
    room: number,
    numbers: readonly number[],
  ) => Promise<readonly ChatMessage[]>;
  /** Events of questions as `question` frames carry them to a person; one of each, in their order. */
  readonly questions: (
    tx: Tx,
    organization: string,
    person: string,
    events: readonly LoggedEvent[],
  ) => Promise<readonly Question[]>;
  /** The rooms in which something happened after a position, each with the last one. */
  readonly movedRooms: (
    tx: Tx,
    organization: string,
    after: number,
  ) => Promise<readonly { readonly room: number; readonly position: number }[]>;
  /**
   * After which position of a room's log one reads on who has read up to `position`; 0: from the oldest that is kept.
   *
   * @throws HubError `cursor_expired`
   */
  readonly readableFrom: (
    tx: Tx,
    log: { readonly organization: string; readonly room: number },
    head: LogHead,
    position: number,
  ) => Promise<number>;
}

/** What a stream follows: a room and, for those who act for a person, that one's questions. */
export interface Followed {
  readonly organization: string;
  readonly room: number;
  readonly person: string | undefined;
}

/** What the log has for a stream after a position. */
export interface StreamPage {
  readonly events: readonly WrittenEvent[];
  /** Where to go on. */
  readonly position: number;
  /** Whether there may be more at once. */
  readonly full: boolean;
  readonly touchesTasks: boolean;
  readonly touchesFiles: boolean;
  /** False once the room was deleted. */
  readonly roomIsThere: boolean;
  readonly epoch: string;
}

/** Events read at a time when a reader catches up; of messages, which are larger, fewer. */
const PAGE = 200;
const MOST_MESSAGES = 50;

/** How long (ms) a page that reaches the log's end is kept for those who were woken for it and have yet to get their turn. */
const KEPT = 1_000;

/**
 * Reads pages for streams. Those at the same position that follow the same share one query per wake: a page is believed only
 * until the next wake, so a reader that takes its bell before asking never gets one from before its bell.
 */
export function openPages(store: Store, readers: StreamReaders) {
  let shared = new Map<string, Promise<StreamPage>>();
  const stop = store.onWake(() => {
    shared = new Map();
  });

  return {
    read(followed: Followed, position: number): Promise<StreamPage> {
      const key = `${followed.organization}/${followed.room}/${followed.person ?? ""}/${position}`;
      const known = shared.get(key);
      if (known) return known;
      const mine = shared;
      const page = store.read((tx) => readPage(tx, readers, followed, position));
      mine.set(key, page);
      // Full pages are those of one reader that catches up; keeping them would keep the log in memory.
      page.then(
        ({ full }) => setTimeout(() => mine.delete(key), full ? 0 : KEPT).unref(),
        () => mine.delete(key),
      );
      return page;
    },
    close: stop,
  };
}

async function readPage(tx: Tx, readers: StreamReaders, followed: Followed, after: number): Promise<StreamPage> {
  const { organization, room } = followed;
  const { epoch } = await readHead(tx, organization);
  const found = await listFollowed(tx, followed, after);
  const fitting = found.slice(0, countFitting(found));
  const events = fitBytes(await writeEvents(tx, readers, followed, epoch, fitting));
  const sent = found.slice(0, events.length);
  return {
    events,
    position: sent.at(-1)?.position ?? after,
    full: found.length === PAGE || sent.length < found.length,
    touchesTasks: sent.some((event) => event.task !== null),
    touchesFiles: sent.some((event) => event.file !== null),
    roomIsThere: await isRoomThere(tx, organization, room),
    epoch,
  };
}

/** The next events of the room and of the person's questions, in the one order of the log, `PAGE` at most. */
async function listFollowed(tx: Tx, { organization, room, person }: Followed, after: number): Promise<LoggedEvent[]> {
  const ofRoom = await listEvents(tx, { organization, room, after, limit: PAGE });
  if (person === undefined) return ofRoom;
  const ofPerson = await listEvents(tx, { organization, room: null, member: person, after, limit: PAGE });
  return [...ofRoom, ...ofPerson].sort((a, b) => a.position - b.position).slice(0, PAGE);
}

async function writeEvents(
  tx: Tx,
  readers: StreamReaders,
  followed: Followed,
  epoch: string,
  events: readonly LoggedEvent[],
): Promise<readonly WrittenEvent[]> {
  const messages = await messagesOf(tx, readers, followed, events);
  const questions = await questionsOf(tx, readers, followed, events);
  return events.map((event) => {
    const question = questions.get(event.position);
    if (question) return writeQuestion(epoch, question, event.concerns);
    return writeEvent(epoch, event, event.kind === "message" ? messages.get(event.message ?? 0) : undefined);
  });
}

function countFitting(events: readonly LoggedEvent[]): number {
  let messages = 0;
  const beyond = events.findIndex((event) => event.kind === "message" && ++messages > MOST_MESSAGES);
  return beyond < 0 ? events.length : beyond;
}

/** As many as may be buffered for one stream, and at least one: a page is held for each reader that stalls on it. */
function fitBytes(events: readonly WrittenEvent[]): readonly WrittenEvent[] {
  let size = 0;
  const beyond = events.findIndex(
    (event, index) => (size += event.text.length) > LIMITS.streamBufferBytes && index > 0,
  );
  return beyond < 0 ? events : events.slice(0, beyond);
}

async function messagesOf(
  tx: Tx,
  readers: StreamReaders,
  { organization, room }: Followed,
  events: readonly LoggedEvent[],
) {
  const numbers = events.flatMap((event) =>
    event.kind === "message" && event.message !== null ? [event.message] : [],
  );
  const messages = numbers.length === 0 ? [] : await readers.messages(tx, organization, room, numbers);
  return new Map(messages.map((message) => [message.id, message]));
}

async function questionsOf(
  tx: Tx,
  readers: StreamReaders,
  { organization, person }: Followed,
  events: readonly LoggedEvent[],
) {
  const ofQuestions = events.filter((event) => event.room === null);
  if (person === undefined || ofQuestions.length === 0) return new Map<number, Question>();
  const questions = await readers.questions(tx, organization, person, ofQuestions);
  return new Map(questions.map((question) => [question.id, question]));
}
