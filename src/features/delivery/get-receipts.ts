import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { findMessage } from "../chat/queries.ts";
import { RECEIPT_STATES, receiptState } from "./model.ts";
import { listReceipts, livePaths, type Reach, type ReceiptRow } from "./queries.ts";

const receipt = z.object({
  member: z.string(),
  state: z.enum(RECEIPT_STATES),
  nudged: z.object({ path: z.string(), ts: isoMoment }).optional(),
  handed_over: z.object({ path: z.string(), session: z.string(), ts: isoMoment }).optional(),
  acknowledged_ts: isoMoment.optional(),
  paths: z.array(z.string()).optional(),
  last_seen: isoMoment.nullable().optional(),
});

export const getReceipts = defineRoomOperation({
  name: "get_receipts",
  title: "Get receipts",
  description:
    "How far a message came to each member it is for: stored, nudged, handed_over, acknowledged; while not handed over, also the member's live paths.",
  kind: "query",
  needs: "read",
  input: z.object({
    message_id: z.int().min(1),
    after: z.string().optional(),
    limit: pageSize(PAGES.agents),
  }),
  output: z.object({
    room: z.string(),
    message_id: z.int(),
    author: z.string(),
    count: z.int(),
    receipts: z.array(receipt),
    has_more: z.boolean(),
    next: z.object({ after: z.string() }).nullable(),
  }),
  errors: ["message_not_found"],
  example: { message_id: 1 },

  async run({ tx, caller, room, answerBytes }, { message_id, after = "", limit }) {
    const message = await findMessage(tx, caller.organization, room.id, message_id);
    if (!message) throw fail("message_not_found", { message: message_id, room: room.name });
    const key = { organization: caller.organization, room: room.id, number: message_id };
    const rows = await listReceipts(tx, key, after, limit + 1);
    const reach = await livePaths(
      tx,
      caller.organization,
      rows.map((row) => row.member),
    );
    const { page, hasMore } = fitPage(
      rows.map((row) => toReceipt(row, reach.get(row.member))),
      limit,
      answerBytes,
    );
    const last = page.at(-1);
    const next = hasMore && last ? { after: last.member } : null;
    return {
      room: room.name,
      message_id,
      author: message.author,
      count: page.length,
      receipts: [...page],
      has_more: hasMore,
      next,
    };
  },
});

function toReceipt(row: ReceiptRow, reach: Reach | undefined): z.input<typeof receipt> {
  const { member, nudged_at, nudged_path, handed_over_at, handed_over_path, handed_over_session, acknowledged_at } =
    row;
  const state = receiptState(row);
  const waits = state === "stored" || state === "nudged";
  return {
    member,
    state,
    ...(nudged_at !== null && { nudged: { path: nudged_path ?? "-", ts: toIso(nudged_at) } }),
    ...(handed_over_at !== null && {
      handed_over: { path: handed_over_path ?? "-", session: handed_over_session ?? "-", ts: toIso(handed_over_at) },
    }),
    ...(acknowledged_at !== null && { acknowledged_ts: toIso(acknowledged_at) }),
    ...(waits && { paths: reach?.paths ?? [], last_seen: toIso(reach?.last_seen ?? null) }),
  };
}
