import { z } from "zod";
import { listRoomsOfPerson } from "../../access/queries.ts";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation, type RoomRef } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { findProfile } from "./profile-queries.ts";
import { findAgent, grantRoom as grant, grantRoomToAgent, listRoomsOfAgent } from "./room-grant-queries.ts";

export const grantRoom = defineOperation({
  name: "grant_room",
  title: "Let somebody into a room",
  description:
    "Lets a person into a room, or an agent with each of its tokens; somebody's own agent only where that person may go.",
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
    const agent = await findAgent(tx, organization, user_id);
    if (!agent && !(await findProfile(tx, organization, user_id))) throw fail("person_not_found", { user_id });
    if (agent) await refuseBeyondOwner(tx, organization, agent.owner, room);
    const granted = await (agent ? grantRoomToAgent : grant)(tx, organization, user_id, room.id);
    if (granted) emit({ kind: "member_changed", detail: `${user_id} may enter ${named}`, concerns: [user_id] });
    const rooms = agent
      ? await listRoomsOfAgent(tx, organization, user_id)
      : (await listRoomsOfPerson(tx, organization, user_id)).map((one) => one.name);
    return { granted, user_id, rooms };
  },
});

/** What an agent sees it tells its person. An administrator may go everywhere. */
async function refuseBeyondOwner(tx: Tx, organization: string, owner: string | null, room: RoomRef): Promise<void> {
  if (owner === null) return;
  const rooms = await listRoomsOfPerson(tx, organization, owner);
  const profile = await findProfile(tx, organization, owner);
  if (profile?.role === "admin" || rooms.some(({ id }) => id === room.id)) return;
  throw fail("room_not_granted", { room: room.name, rooms: rooms.map(({ name }) => name) });
}
