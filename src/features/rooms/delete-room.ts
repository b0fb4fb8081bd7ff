import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { name } from "../../core/fields.ts";
import { removeRoom } from "./queries.ts";

export const deleteRoom = defineOperation({
  name: "delete_room",
  title: "Delete a room",
  description: "Removes a room with everything in it, for ever. Its name must be given.",
  kind: "command",
  needs: "admin",
  // Required and named: an empty or missing name must never mean the default room.
  input: z.object({ room: name.describe("The room to remove") }),
  output: z.object({ ok: z.literal(true), deleted_room: z.string(), removed: z.record(z.string(), z.int()) }),
  errors: ["room_not_granted"],
  example: { room: "lobby" },

  async run({ tx, caller, emit }, { room: named }) {
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    const removed = await removeRoom(tx, caller.organization, room.id);
    emit({ kind: "room_deleted", detail: room.name });
    return { ok: true as const, deleted_room: room.name, removed };
  },
});
