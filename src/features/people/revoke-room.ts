import { z } from "zod";
import { listRoomsOfPerson } from "../../access/queries.ts";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { findProfile } from "./profile-queries.ts";
import {
  findAgent,
  listRoomsOfAgent,
  revokeRoom as revoke,
  revokeRoomOfAgent,
  revokeRoomOfAgents,
} from "./room-grant-queries.ts";

export const revokeRoom = defineOperation({
  name: "revoke_room",
  title: "Take a room from somebody",
  description:
    "Takes a room from a person and from its agents, or from an agent, within two seconds and on open streams too.",
  kind: "command",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({ user_id: name, room: name }),
  output: z.object({
    revoked: z.boolean(),
    user_id: z.string(),
    agents: z.array(z.string()).describe("Its agents that had the room"),
    rooms: z.array(z.string()),
  }),
  errors: ["person_not_found", "room_not_granted"],
  example: { user_id: "ben", room: "ops" },

  async run({ tx, caller, emit }, { user_id, room: named }) {
    const { organization } = caller;
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    if (await findAgent(tx, organization, user_id)) {
      const revoked = await revokeRoomOfAgent(tx, organization, user_id, room.id);
      if (revoked) emit(lost(user_id, named));
      return { revoked, user_id, agents: [], rooms: await listRoomsOfAgent(tx, organization, user_id) };
    }
    if (!(await findProfile(tx, organization, user_id))) throw fail("person_not_found", { user_id });
    const revoked = await revoke(tx, organization, user_id, room.id);
    // What a person may no longer see, its agents would go on telling it.
    const agents = await revokeRoomOfAgents(tx, organization, user_id, room.id);
    for (const handle of [...(revoked ? [user_id] : []), ...agents]) emit(lost(handle, named));
    const rooms = await listRoomsOfPerson(tx, organization, user_id);
    return { revoked, user_id, agents, rooms: rooms.map((one) => one.name) };
  },
});

function lost(handle: string, room: string) {
  return { kind: "member_changed", detail: `${handle} may no longer enter ${room}`, concerns: [handle] } as const;
}
