import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, positionOf, readHead } from "../../core/event-log.ts";
import { momentOf } from "../../core/fields.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { latestNewsAt, listNews } from "./queries.ts";
import { reply, toReply, UNTRUSTED_IN_REPLY } from "./question-answer.ts";

export const checkReplies = defineOperation({
  name: "check_replies",
  title: "Check for replies",
  description:
    "What became of the questions you asked, oldest news first: answered, declined, expired or handed on, each with how surely it was approved. Changes nothing.",
  kind: "query",
  needs: "person_read",
  input: z.object({
    since: z.string().optional().describe("Only after this ISO time, such as a told_at"),
    cursor: z.string().optional().describe("Only after an earlier answer's cursor"),
    limit: pageSize(PAGES.questions),
  }),
  output: z.object({
    user: z.string(),
    since: z.string().nullable(),
    count: z.int(),
    replies: z.array(reply),
    has_more: z.boolean(),
    cursor: z.string(),
    next: z.object({ cursor: z.string() }).nullable(),
  }),
  errors: ["unknown_cursor", "cursor_ahead", "epoch_changed"],
  untrusted: UNTRUSTED_IN_REPLY,
  example: { limit: 20 },

  async run({ tx, caller, answerBytes }, { since, cursor, limit }) {
    if (since !== undefined && cursor !== undefined)
      throw fail("bad_input", { field: "cursor", problem: "cannot go with since; give one of them" });
    // A cursor here is no place in the log: it is the moment (ms) of the last news it has seen.
    const head = { epoch: (await readHead(tx, caller.organization)).epoch, position: await latestNewsAt(tx, caller) };
    const after = since === undefined ? positionOf(head, cursor ?? 0) : momentOf("since", since);
    const rows = await listNews(tx, caller, after, limit + 1);
    const { page, hasMore } = fitPage(
      rows.map((row) => toReply(row, tx.now)),
      limit,
      answerBytes,
    );
    const place = cursorOf(head, rows[page.length - 1]?.told_at ?? Math.min(Math.max(after, 0), head.position));
    return {
      user: caller.person ?? caller.handle,
      since: since ?? null,
      count: page.length,
      replies: [...page],
      has_more: hasMore,
      cursor: place,
      next: hasMore ? { cursor: place } : null,
    };
  },
});
