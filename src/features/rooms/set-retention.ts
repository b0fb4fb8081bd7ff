import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { NOTHING_PRUNED, pruneRoom, sentenceOf } from "./prune.ts";
import { updateRetention } from "./retention-queries.ts";

/** So many events are pruned in the call itself; housekeeping does the rest. */
const AT_ONCE = 1_000;

export const setRetention = defineRoomOperation({
  name: "set_retention",
  title: "Set a room's retention",
  description:
    "How many days the room keeps messages, files and events; 0 for ever. What is older goes at once, for ever.",
  kind: "command",
  needs: "admin",
  input: z.object({ days: z.int().min(0).max(LIMITS.retentionDays).default(0) }),
  output: z.object({
    ok: z.literal(true),
    room: z.string(),
    retention_days: z.int().nullable(),
    pruned_now: z.object({ events: z.int(), messages: z.int(), files: z.int() }),
    more: z.literal(true).optional().describe("There is more to remove; that happens by itself"),
  }),
  errors: ["room_not_granted"],
  example: { days: 90 },

  async run({ tx, caller, room, emit }, { days }) {
    const log = { organization: caller.organization, room: room.id };
    const set = await updateRetention(tx, log, days === 0 ? null : days);
    if (!set) throw fail("room_not_granted", { room: room.name, rooms: [...caller.rooms.keys()] });
    const { retention_days, pruned_to } = set;
    const { pruned, more } =
      retention_days === null
        ? { pruned: NOTHING_PRUNED, more: false }
        : await pruneRoom(tx, { ...log, retention_days, pruned_to }, AT_ONCE);
    emit({ kind: "retention_set", room: room.id, detail: `retention_days=${retention_days ?? "indefinite"}` });
    if (pruned.events > 0) emit({ kind: "room_pruned", detail: sentenceOf(room.name, pruned) });
    return {
      ok: true as const,
      room: room.name,
      retention_days,
      pruned_now: pruned,
      ...(more && { more: true as const }),
    };
  },
});
