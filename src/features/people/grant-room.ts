import { z } from "zod";
import { listRoomsOfPerson } from "../../access/queries.ts";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { findProfile } from "./profile-queries.ts";
import { grantRoom as grant } from "./room-grant-queries.ts";

export const grantRoom = defineOperation({
  name: "grant_room",
  title: "Let a person into a room",
  description: "Lets a person into a room. An agent's rooms are those of its token.",
  kind: "command",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({ user_id: name, room: name }),
  output: z.object({ granted: z.boolean(), user_id: z.string(), rooms: z.array(z.string()) }),
  errors: ["person_not_found", "room_not_granted"],
  example: { user_id: "ben", room: "ops" },

  async run({ tx, caller, emit }, { user_id, room: named }) {
    const { organization } = caller;
    const room = caller.rooms.get(named);
    if (!room) throw fail("room_not_granted", { room: named, rooms: [...caller.rooms.keys()] });
    if (!(await findProfile(tx, organization, user_id))) throw fail("person_not_found", { user_id });
    const granted = await grant(tx, organization, user_id, room.id);
    if (granted) emit({ kind: "member_changed", detail: `${user_id} may enter ${named}`, concerns: [user_id] });
    const rooms = await listRoomsOfPerson(tx, organization, user_id);
    return { granted, user_id, rooms: rooms.map((one) => one.name) };
  },
});
