import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { cursorOf, type EventQuery, type LogHead, positionOf, readHead } from "../../core/event-log.ts";
import { EVENTS } from "../../core/events.ts";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation, type RoomContext } from "../../core/operation.ts";
import { readableFrom } from "../rooms/pruning-queries.ts";
import { cursorField } from "./cursor-field.ts";
import { event, toEventAnswer } from "./event-answer.ts";
import { findLatestEvent } from "./log-queries.ts";
import { scanBackward, scanForward } from "./scan.ts";

export const readEvents = defineRoomOperation({
  name: "read_events",
  title: "Read events",
  description: "The room's log, oldest first; the latest unless since_id or before_id is given. Moves no place.",
  kind: "query",
  needs: "read",
  input: z.object({
    since_id: cursorField("Only after this event id or cursor; 0 = from the oldest").optional(),
    before_id: cursorField("Only before this one").optional(),
    kind: z.string().optional().describe("Such as message, task_claimed"),
    task_id: z.int().min(1).optional(),
    limit: pageSize(PAGES.events),
  }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    count: z.int(),
    events: z.array(event),
    latest_event_id: z.int(),
    has_more: z.boolean(),
    next: z
      .object({ since_id: z.int() })
      .or(z.object({ before_id: z.int() }))
      .nullable(),
    cursor: z.string(),
    cursor_unchanged: z.literal(true),
  }),
  errors: ["unknown_cursor", "cursor_ahead", "cursor_expired", "epoch_changed"],
  untrusted: ["events[].detail"],
  example: { limit: 20 },

  async run(context, { since_id, before_id, kind, task_id, limit }) {
    const { tx, caller, room } = context;
    refuseUnknownKind(kind);
    const head = await readHead(tx, caller.organization);
    const log = { organization: caller.organization, room: room.id };
    const after = since_id === undefined ? undefined : await readableFrom(tx, log, head, positionOf(head, since_id));
    const query: EventQuery = {
      ...log,
      kind,
      task: task_id,
      limit: limit + 1,
      ...(after !== undefined && { after }),
      ...(before_id !== undefined && { before: beforeOf(head, before_id) }),
    };
    const page = after === undefined ? await readNewest(context, query, head) : await readForward(context, query, head);
    const latest_event_id = await findLatestEvent(tx, caller.organization, room.id);
    const { events, upTo, ...ends } = page;
    const cursor = cursorOf(head, upTo);
    return {
      room: room.name,
      you_are: caller.handle,
      count: events.length,
      events,
      latest_event_id,
      ...ends,
      cursor,
      cursor_unchanged: true as const,
    };
  },
});

async function readForward({ tx, caller, answerBytes }: RoomContext, query: EventQuery, head: LogHead) {
  const scan = await scanForward(tx, query, head.position);
  const answers = scan.events.map((logged) => toEventAnswer(logged, caller.handle));
  const { page, hasMore } = fitPage(answers, query.limit - 1, answerBytes);
  const upTo = hasMore ? (page.at(-1)?.id ?? scan.upTo) : scan.upTo;
  const has_more = hasMore || !scan.ended;
  return { events: [...page], upTo, has_more, next: has_more ? { since_id: upTo } : null };
}

async function readNewest({ tx, caller, answerBytes }: RoomContext, query: EventQuery, head: LogHead) {
  const scan = await scanBackward(tx, query);
  const answers = scan.events.map((logged) => toEventAnswer(logged, caller.handle)).reverse();
  const { page, hasMore } = fitPage(answers, query.limit - 1, answerBytes);
  const has_more = hasMore || !scan.ended;
  const oldest = hasMore ? (page.at(-1)?.id ?? scan.upTo) : scan.upTo;
  const upTo = query.before === undefined ? head.position : Math.min(query.before - 1, head.position);
  return { events: page.toReversed(), upTo, has_more, next: has_more ? { before_id: oldest } : null };
}

/** "Before" may be just after the end of the log. */
function beforeOf(head: LogHead, before: string | number): number {
  return before === head.position + 1 ? before : positionOf(head, before);
}

function refuseUnknownKind(kind: string | undefined) {
  if (kind === undefined || Object.hasOwn(EVENTS, kind)) return;
  throw fail("bad_input", { field: "kind", problem: `must be one of ${Object.keys(EVENTS).join(", ")}` });
}
