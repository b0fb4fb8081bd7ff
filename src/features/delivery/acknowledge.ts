import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { findMessage } from "../chat/queries.ts";
import { acknowledgeMessage } from "./queries.ts";

export const acknowledge = defineRoomOperation({
  name: "acknowledge",
  title: "Acknowledge a message",
  description: "Says that you took note of a message, instead of a thank-you message: it wakes nobody.",
  kind: "command",
  needs: "write",
  input: z.object({ message_id: z.int().min(1) }),
  output: z.object({ ok: z.literal(true), message_id: z.int(), acknowledged_ts: isoMoment }),
  errors: ["message_not_found"],
  example: { message_id: 1 },

  // One bit that costs no reader anything: no event, so nobody is woken and nothing is news.
  async run({ tx, caller, room }, { message_id }) {
    const message = await findMessage(tx, caller.organization, room.id, message_id);
    if (!message) throw fail("message_not_found", { message: message_id, room: room.name });
    const at = await acknowledgeMessage(tx, caller.organization, room.id, message_id, caller.handle);
    return { ok: true as const, message_id, acknowledged_ts: toIso(at) };
  },
});
