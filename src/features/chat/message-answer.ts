import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { attached, attachedAt } from "../files/attachments.ts";
import type { MessageRow } from "./queries.ts";

/** A message as answers carry it. A retracted one keeps its number and place, and loses its text. */
export const message = z.object({
  id: z.int(),
  ts: isoMoment,
  author: z.string(),
  author_kind: z.literal("webhook").optional().describe("No member, but a program outside"),
  body: z.string(),
  reply_to: z.int().nullable(),
  attachments: attached,
  retracted: z.object({ by: z.string(), ts: isoMoment }).optional(),
});

/** `now` (ms) judges what is attached: a file that has expired is not. */
export function toMessage(row: MessageRow, now: number): z.input<typeof message> {
  const retracted =
    row.retracted_at === null ? {} : { retracted: { by: row.retracted_by ?? row.author, ts: toIso(row.retracted_at) } };
  return {
    id: row.number,
    ts: toIso(row.at),
    author: row.author,
    ...(row.author_kind === "webhook" && { author_kind: "webhook" as const }),
    body: row.body,
    reply_to: row.reply_to,
    ...attachedAt(row.files, now),
    ...retracted,
  };
}
