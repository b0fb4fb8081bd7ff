import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { setArchived } from "./queries.ts";

export const archiveRoom = defineOperation({
  name: "archive_room",
  title: "Archive a room",
  description: "Lets a room be read and no more be written in; archived: false opens it again.",
  kind: "command",
  needs: "admin",
  notForAgents: true,
  input: z.object({ room: name, archived: z.boolean().default(true) }),
  output: z.object({ ok: z.literal(true), room: z.string(), archived: z.boolean() }),
  errors: ["room_not_granted"],
  example: { room: "lobby", archived: false },

  async run({ tx, caller, emit }, { room: named, archived }) {
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    const changed = await setArchived(tx, caller.organization, room.id, archived);
    if (changed) emit({ kind: "room_archived", room: room.id, detail: archived ? "archived" : "opened again" });
    return { ok: true as const, room: named, archived };
  },
});
