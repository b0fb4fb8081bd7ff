import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { updateRoomPolicy } from "./queries.ts";
import { roomInfo, toRoomInfo } from "./room-answer.ts";

/** How long a claim in the room lasts. */
export const leaseMinutes = z.int().min(0).max(10_080).optional().describe("How long a claim lasts; 0 = no end");

const fields = {
  info_by: z.enum(["writers", "admins"]).optional().describe("Who may set the room's information"),
  lease_minutes: leaseMinutes,
};

export const setRoomPolicy = defineRoomOperation({
  name: "set_room_policy",
  title: "Set a room's rules",
  description: "Sets who may set the room's information, and how long a claim lasts.",
  kind: "command",
  needs: "admin",
  input: z.object(fields),
  output: z.object({ ok: z.literal(true), room_info: roomInfo }),
  errors: ["room_not_granted"],
  untrusted: ["room_info.description", "room_info.onboarding_notes"],
  example: { info_by: "admins" },

  async run({ tx, caller, room, emit }, rules) {
    const given = Object.entries(rules).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw fail("bad_input", { field: "", problem: `has nothing to set; give ${Object.keys(fields).join(", ")}` });
    const row = await updateRoomPolicy(tx, caller.organization, room.id, rules);
    if (!row) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    emit({
      kind: "policy_changed",
      room: room.id,
      detail: given.map(([field]) => field).join(", "),
      content: JSON.stringify(rules),
    });
    return { ok: true as const, room_info: toRoomInfo(row) };
  },
});
