import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { countRooms, insertRoom, updateRoomInfo, updateRoomPolicy } from "./queries.ts";
import { roomInfo, toRoomInfo } from "./room-answer.ts";
import { roomInfoFields } from "./set-room-info.ts";
import { leaseMinutes } from "./set-room-policy.ts";

export const createRoom = defineOperation({
  name: "create_room",
  title: "Create a room",
  description: "Makes a room: chat, board and files of its own.",
  kind: "command",
  needs: "organization_admin",
  input: z.object({ name, ...roomInfoFields, lease_minutes: leaseMinutes }),
  output: z.object({ created: z.literal(true), room: roomInfo }),
  errors: ["room_exists", "too_many"],
  example: { name: "workshop", description: "Where things are built." },

  async run({ tx, caller, emit }, { name, lease_minutes, ...info }) {
    if ((await countRooms(tx, caller.organization)) >= LIMITS.roomsPerOrganization) {
      throw fail("too_many", { what: "rooms", most: LIMITS.roomsPerOrganization });
    }
    const room = await insertRoom(tx, { organization: caller.organization, name, createdBy: caller.handle });
    if (!room) throw fail("room_exists", { room: name });
    await updateRoomInfo(tx, caller, room.id, info, true);
    const row = await updateRoomPolicy(tx, caller.organization, room.id, { lease_minutes });
    if (!row) throw new Error(`Room ${name} vanished in the transaction that made it.`);
    emit({ kind: "room_created", detail: name });
    return { created: true as const, room: toRoomInfo(row) };
  },
});
