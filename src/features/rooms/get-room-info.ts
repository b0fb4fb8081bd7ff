import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { findRoom } from "./queries.ts";
import { roomInfo, toRoomInfo } from "./room-answer.ts";

export const getRoomInfo = defineRoomOperation({
  name: "get_room_info",
  title: "Read a room's information",
  description: "What the room is for: description, repository, onboarding notes, rules. Read it when you join.",
  kind: "query",
  needs: "read",
  input: z.object({}),
  output: roomInfo.extend({ you_are: z.string() }),
  errors: ["room_not_granted"],
  untrusted: ["description", "repo_url", "onboarding_notes"],
  example: {},

  async run({ tx, caller, room }) {
    const row = await findRoom(tx, caller.organization, room.id);
    if (!row) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    return { ...toRoomInfo(row), you_are: caller.handle };
  },
});
