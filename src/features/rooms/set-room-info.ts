import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { text } from "../../core/fields.ts";
import { findRoom, updateRoomInfo } from "./queries.ts";
import { roomInfo, toRoomInfo } from "./room-answer.ts";

/** Only addresses that open a repository, so that no page ever shows a `javascript:` link. */
const repoUrl = text(LIMITS.roomUrl).refine(isRepositoryAddress, "must be an http, https or ssh address, or empty");

/** What may be set when a room is made and later. */
export const roomInfoFields = {
  description: text(LIMITS.roomDescription).optional(),
  repo_url: repoUrl.optional(),
  onboarding_notes: text(LIMITS.roomNotes).optional().describe("Shown once to each newcomer"),
} as const;

export const setRoomInfo = defineRoomOperation({
  name: "set_room_info",
  title: "Set a room's information",
  description: "Sets the given fields; an empty text clears one. Others see who set them.",
  kind: "command",
  needs: "write",
  input: z.object(roomInfoFields),
  output: z.object({ ok: z.literal(true), room_info: roomInfo }),
  errors: ["not_allowed", "room_not_granted"],
  untrusted: ["room_info.description", "room_info.onboarding_notes"],
  example: { description: "Deploys and the staging boxes." },

  async run({ tx, caller, room, emit }, info) {
    const given = Object.entries(info).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw fail("bad_input", {
        field: "",
        problem: `has nothing to set; give ${Object.keys(roomInfoFields).join(", ")}`,
      });
    const row = await updateRoomInfo(tx, caller, room.id, info, caller.roles.has("admin"));
    if (!row && !(await findRoom(tx, caller.organization, room.id))) {
      throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    }
    if (!row) throw fail("not_allowed", { needs: "an admin token: this room's information is kept to admins" });
    emit({
      kind: "room_info_updated",
      room: room.id,
      detail: given.map(([field]) => field).join(", "),
      content: JSON.stringify(info),
    });
    return { ok: true as const, room_info: toRoomInfo(row) };
  },
});

function isRepositoryAddress(address: string): boolean {
  if (address === "") return true;
  if (/[\s\p{C}]/u.test(address)) return false;
  return URL.canParse(address) && ["http:", "https:", "ssh:"].includes(new URL(address).protocol);
}
