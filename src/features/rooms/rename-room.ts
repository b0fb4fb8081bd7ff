import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { renameRoom as rename } from "./queries.ts";

export const renameRoom = defineOperation({
  name: "rename_room",
  title: "Rename a room",
  description: "Gives a room another name. Who may enter it still may; its old name is free.",
  kind: "command",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({ room: name, to: name.describe("Its new name") }),
  output: z.object({ ok: z.literal(true), room: z.string(), was: z.string() }),
  errors: ["room_not_granted", "room_exists"],
  example: { room: "ops", to: "operations" },

  async run({ tx, caller, emit }, { room: named, to }) {
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    if (to === named) return { ok: true as const, room: to, was: named };
    if (!(await rename(tx, caller.organization, room.id, to))) throw fail("room_exists", { room: to });
    emit({ kind: "room_renamed", room: room.id, detail: `${named} is now ${to}` });
    return { ok: true as const, room: to, was: named };
  },
});
