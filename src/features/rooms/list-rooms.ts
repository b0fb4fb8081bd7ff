import { z } from "zod";
import { fitPage, LIMITS, PAGES, pageSize } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { listVisibleRooms } from "./queries.ts";
import { roomInfo, toRoomInfo } from "./room-answer.ts";

export const listRooms = defineOperation({
  name: "list_rooms",
  title: "List rooms",
  description: "The rooms you may enter, with how much is in each.",
  kind: "query",
  needs: "read",
  input: z.object({
    after: z.string().max(LIMITS.handle).default("").describe("Page: the last name seen"),
    limit: pageSize(PAGES.rooms),
  }),
  output: z.object({
    you_are: z.string(),
    default_room: z.string().nullable(),
    all_rooms: z.boolean(),
    admin: z.boolean(),
    count: z.int(),
    rooms: z.array(roomInfo.extend({ open_tasks: z.int(), messages: z.int(), files: z.int() })),
    has_more: z.boolean(),
    next: z.string().nullable(),
  }),
  errors: [],
  untrusted: ["rooms[].description", "rooms[].onboarding_notes", "rooms[].repo_url"],
  example: {},

  async run({ tx, caller, answerBytes }, { after, limit }) {
    const rows = await listVisibleRooms(tx, caller, after, limit + 1);
    const rooms = rows.map((row) => ({
      ...toRoomInfo(row),
      open_tasks: row.open_tasks,
      messages: row.messages,
      files: row.files,
    }));
    const { page, hasMore } = fitPage(rooms, limit, answerBytes);
    return {
      you_are: caller.handle,
      default_room: caller.defaultRoom?.name ?? null,
      all_rooms: caller.allRooms,
      admin: caller.roles.has("admin"),
      count: page.length,
      rooms: [...page],
      has_more: hasMore,
      next: hasMore ? (page.at(-1)?.name ?? null) : null,
    };
  },
});
