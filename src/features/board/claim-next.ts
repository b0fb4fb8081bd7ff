import { z } from "zod";
import { defineRoomOperation } from "../../core/operation.ts";
import { claimAnswer, heldAnswer, tellClaimed } from "./claim-answer.ts";
import { takeNextTask } from "./claim-queries.ts";
import { endLeases } from "./leases.ts";
import { UNTRUSTED_IN_TASK } from "./task-answer.ts";
import { labels } from "./task-fields.ts";

export const claimNext = defineRoomOperation({
  name: "claim_next",
  title: "Claim the most urgent task",
  description: "Claims the most urgent pending task that is ready; with labels, one that has them all.",
  kind: "command",
  needs: "write",
  bySession: true,
  input: z.object({ labels: labels.optional() }),
  output: claimAnswer,
  errors: [],
  untrusted: UNTRUSTED_IN_TASK,
  example: {},

  async run(context, { labels = [] }) {
    const { tx, caller, room, settings, emit } = context;
    // Then what is free is pending, and the index of urgency finds it.
    for (const event of await endLeases(tx, caller.organization, { room: room.id })) emit(event);
    const won = await takeNextTask(tx, caller, settings, room.id, [...new Set(labels)]);
    if (!won) return { next: NOTHING_READY, claimed: false, reason: "nothing ready" };
    tellClaimed(context, won);
    return heldAnswer(context, won);
  },
});

const NOTHING_READY = "Wait for news with wait_for_change, or look at what is blocked with list_tasks.";
