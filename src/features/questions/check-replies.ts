import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, positionOf, readHead } from "../../core/event-log.ts";
import { isoMoment, momentOf, toIso } from "../../core/fields.ts";
import { writtenBytes } from "../../core/frame.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { type Caller, defineOperation } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { findReach, recipientReach } from "../delivery/question-receipts.ts";
import { latestNewsAt, listAsked, listNews } from "./queries.ts";
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
    waiting: z.array(
      z.object({ id: z.int(), to_user_id: z.string(), expires_at: isoMoment, recipient: recipientReach }),
    ),
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
    const waiting = await listWaitingFor(tx, caller);
    const rows = await listNews(tx, caller, after, limit + 1);
    const { page, hasMore } = fitPage(
      rows.map((row) => toReply(row, tx.now)),
      limit,
      answerBytes - writtenBytes(waiting),
    );
    const place = cursorOf(head, rows[page.length - 1]?.told_at ?? Math.min(Math.max(after, 0), head.position));
    return {
      user: caller.person ?? caller.handle,
      since: since ?? null,
      count: page.length,
      replies: [...page],
      waiting,
      has_more: hasMore,
      cursor: place,
      next: hasMore ? { cursor: place } : null,
    };
  },
});

/** So many of the questions that wait are told of; the oldest. */
const MOST_WAITING = 20;

/** The caller's questions that wait for an answer, with how far each has come. */
async function listWaitingFor(tx: Tx, caller: Caller) {
  const rows = await listAsked(tx, caller, MOST_WAITING);
  const reachOf = await findReach(tx, caller.organization, rows);
  return rows.map(({ number, recipient, expires_at }) => ({
    id: number,
    to_user_id: recipient,
    expires_at: toIso(expires_at),
    recipient: reachOf(number),
  }));
}
