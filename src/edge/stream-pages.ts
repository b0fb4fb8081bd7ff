import { isRoomThere } from "../access/queries.ts";
import { listEvents, readHead } from "../core/event-log.ts";
import type { LoggedEvent } from "../core/events.ts";
import { LIMITS } from "../core/limits.ts";
import type { Store, Tx } from "../store/store.ts";
import { type ChatMessage, type WrittenEvent, writeEvent } from "./stream-frames.ts";

/** The messages of these numbers, as `chat` frames carry them. */
export type ReadMessages = (
  tx: Tx,
  organization: string,
  room: number,
  numbers: readonly number[],
) => Promise<readonly ChatMessage[]>;

/** What a room's log has after a position. */
export interface StreamPage {
  readonly events: readonly WrittenEvent[];
  /** Where to go on. */
  readonly position: number;
  /** Whether there may be more at once. */
  readonly full: boolean;
  readonly touchesTasks: boolean;
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
 * Reads pages for streams. Those at the same position of the same room share one query per wake: a page is believed only
 * until the next wake, so a reader that takes its bell before asking never gets one from before its bell.
 */
export function openPages(store: Store, readMessages: ReadMessages) {
  let shared = new Map<string, Promise<StreamPage>>();
  const stop = store.onWake(() => {
    shared = new Map();
  });

  return {
    read(organization: string, room: number, position: number): Promise<StreamPage> {
      const key = `${organization}/${room}/${position}`;
      const known = shared.get(key);
      if (known) return known;
      const mine = shared;
      const page = store.read((tx) => readPage(tx, readMessages, organization, room, position));
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

async function readPage(
  tx: Tx,
  readMessages: ReadMessages,
  organization: string,
  room: number,
  after: number,
): Promise<StreamPage> {
  const { epoch } = await readHead(tx, organization);
  const found = await listEvents(tx, { organization, room, after, limit: PAGE });
  const fitting = found.slice(0, countFitting(found));
  const messages = await messagesOf(tx, readMessages, organization, room, fitting);
  const events = fitBytes(
    fitting.map((event) =>
      writeEvent(epoch, event, event.kind === "message" ? messages.get(event.message ?? 0) : undefined),
    ),
  );
  const sent = found.slice(0, events.length);
  return {
    events,
    position: sent.at(-1)?.position ?? after,
    full: found.length === PAGE || sent.length < found.length,
    touchesTasks: sent.some((event) => event.task !== null),
    roomIsThere: await isRoomThere(tx, organization, room),
    epoch,
  };
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
  read: ReadMessages,
  organization: string,
  room: number,
  events: readonly LoggedEvent[],
) {
  const numbers = events.flatMap((event) =>
    event.kind === "message" && event.message !== null ? [event.message] : [],
  );
  const messages = numbers.length === 0 ? [] : await read(tx, organization, room, numbers);
  return new Map(messages.map((message) => [message.id, message]));
}
