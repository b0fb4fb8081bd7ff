import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { redactMessage } from "../../core/event-log.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { message, toMessage } from "./message-answer.ts";
import { findMessage, retract } from "./queries.ts";

export const retractMessage = defineRoomOperation({
  name: "retract_message",
  title: "Take a message back",
  description: "Removes the text of your own message (an admin: of any) and leaves a marker that all can see.",
  kind: "command",
  needs: "write",
  input: z.object({ message_id: z.int().min(1) }),
  output: z.object({ ok: z.literal(true), message }),
  errors: ["message_not_found", "not_yours"],
  example: { message_id: 1 },

  async run({ tx, caller, room, emit }, { message_id }) {
    const taken = await retract(tx, caller, room.id, message_id);
    const standing = taken ?? (await findMessage(tx, caller.organization, room.id, message_id));
    if (!standing) throw fail("message_not_found", { message: message_id, room: room.name });
    if (standing.retracted_at === null) throw fail("not_yours", { what: `Message m${message_id}` });
    if (taken) await redactMessage(tx, caller.organization, room.id, message_id);
    if (taken) emit({ kind: "message_retracted", room: room.id, message: message_id, concerns: [taken.author] });
    return { ok: true as const, message: toMessage(standing, tx.now) };
  },
});
