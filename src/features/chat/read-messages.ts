import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { message, toMessage } from "./message-answer.ts";
import { findLatestNumber, listMessagesSince, listNewestMessages, type MessageQuery } from "./queries.ts";

export const readMessages = defineRoomOperation({
  name: "read_messages",
  title: "Read messages",
  description: "Whole messages, oldest first; the latest unless since_id or before_id is given. Changes nothing.",
  kind: "query",
  needs: "read",
  always: true,
  input: z.object({
    since_id: z.int().min(0).optional().describe("Only after this message; 0 = from the oldest"),
    before_id: z.int().min(1).optional(),
    thread: z.int().min(1).optional().describe("Id of a thread's first message"),
    mentions_me: z.boolean().optional(),
    limit: pageSize(PAGES.messages),
  }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    count: z.int(),
    messages: z.array(message),
    latest_id: z.int(),
    has_more: z.boolean(),
    next: z
      .object({ since_id: z.int() })
      .or(z.object({ before_id: z.int() }))
      .nullable(),
  }),
  errors: [],
  untrusted: ["messages[].body"],
  example: { limit: 20 },

  async run(context, { since_id, before_id, thread, mentions_me, limit }) {
    const { tx, caller, room } = context;
    const mentioning = mentions_me ? caller.handle : undefined;
    const query = { since: since_id, before: before_id, thread, mentioning, limit: limit + 1 };
    const page = since_id === undefined ? await readNewest(context, query) : await readForward(context, query);
    const latest_id = await findLatestNumber(tx, caller.organization, room.id);
    return { room: room.name, you_are: caller.handle, count: page.messages.length, ...page, latest_id };
  },
});

async function readForward({ tx, caller, room, answerBytes }: RoomContext, query: MessageQuery) {
  const rows = await listMessagesSince(tx, caller.organization, room.id, query);
  const messages = rows.map((row) => toMessage(row, tx.now));
  const { page, hasMore } = fitPage(messages, query.limit - 1, answerBytes);
  const last = page.at(-1);
  return { messages: [...page], has_more: hasMore, next: hasMore && last ? { since_id: last.id } : null };
}

async function readNewest({ tx, caller, room, answerBytes }: RoomContext, query: MessageQuery) {
  const rows = await listNewestMessages(tx, caller.organization, room.id, query);
  const messages = rows.map((row) => toMessage(row, tx.now));
  const { page, hasMore } = fitPage(messages, query.limit - 1, answerBytes);
  const oldest = page.at(-1);
  return { messages: page.toReversed(), has_more: hasMore, next: hasMore && oldest ? { before_id: oldest.id } : null };
}
