import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { name } from "../../core/fields.ts";
import { closeRoom, countInRoom, removePage } from "./removal-queries.ts";

/** What a room of the usual size has is gone with the call; of a large one the rest goes by housekeeping. */
const PAGES_AT_ONCE = 5;

export const deleteRoom = defineOperation({
  name: "delete_room",
  title: "Delete a room",
  description: "Removes a room with everything in it, for ever. Its name must be given.",
  kind: "command",
  needs: "admin",
  // Required and named: an empty or missing name must never mean the default room.
  input: z.object({
    room: name.describe("The room to remove"),
    confirm: z.string().optional().describe("Its name once more"),
  }),
  output: z.object({ ok: z.literal(true), deleted_room: z.string(), removed: z.record(z.string(), z.int()) }),
  errors: ["room_not_granted"],
  example: { room: "lobby" },

  async run({ tx, caller, emit }, { room: named, confirm = named }) {
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    if (confirm !== named) throw fail("bad_input", { field: "confirm", problem: "must be the name of the room" });
    const log = { organization: caller.organization, room: room.id };
    const removed = await countInRoom(tx, log);
    if (!(await closeRoom(tx, log))) throw fail("room_not_granted", { room: named, rooms: [] });
    for (let page = 0; page < PAGES_AT_ONCE; page++) if (!(await removePage(tx, log))) break;
    emit({ kind: "room_deleted", detail: room.name });
    return { ok: true as const, deleted_room: room.name, removed };
  },
});
