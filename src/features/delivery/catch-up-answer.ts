import { z } from "zod";
import { isoMoment } from "../../core/fields.ts";
import { attached } from "../files/attachments.ts";
import { event } from "./event-answer.ts";
import { NEWS_MARKS } from "./news.ts";
import { questionFields } from "./question-news.ts";

/** An event as it is shown by itself: a message's own text and files, and how many characters (code points) of it were cut. */
const newsItem = event.extend({ ...NEWS_MARKS, attachments: attached, cut: z.int().optional() });

/** A task that the caller holds. `here`: this session claimed it. */
const heldTask = z.object({
  room: z.string(),
  task_id: z.int(),
  status: z.string(),
  lease_ends_at: isoMoment.nullable(),
  here: z.boolean(),
});

/** What a session is shown without having asked. `unread` and `for_you` count all there is, `events` holds the newest of it. */
export const caughtUp = z.object({
  room: z.string(),
  you_are: z.string(),
  events: z.array(newsItem),
  unread: z.int(),
  unread_capped: z.literal(true).optional(),
  for_you: z.int(),
  ...questionFields,
  holds: z.array(heldTask).optional(),
  cursor: z.string(),
});
export type CaughtUp = z.output<typeof caughtUp>;
export type NewsItem = z.input<typeof newsItem>;
export type HeldTask = z.input<typeof heldTask>;
