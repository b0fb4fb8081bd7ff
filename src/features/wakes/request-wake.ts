import { z } from "zod";
import { defineHandover } from "../../core/operation.ts";
import { recordNudges } from "../delivery/nudge-queries.ts";
import { decideAndNote, MOST_CAUSES } from "./may-wake.ts";
import { REFUSALS, type Refusal } from "./model.ts";

const positions = z.array(z.int().min(1)).max(MOST_CAUSES).default([]);

export const requestWake = defineHandover({
  name: "request_wake",
  title: "Ask before waking",
  description:
    "Whoever wakes an agent's session by itself asks first, and says what it has woken it for. wake false says why not: then nothing is told to the session.",
  needs: "read",
  notForAgents: true,
  input: z.object({
    events: positions.describe("Ids of the events to wake it for"),
    woken_for: positions.describe("Ids of the events that it was woken for: its line is out"),
  }),
  output: z.object({
    wake: z.boolean(),
    reason: z.enum(REFUSALS).optional(),
    hops: z.int().optional(),
    next: z.string().optional(),
  }),
  errors: [],
  example: { events: [1] },

  // A decision is noted in any case.
  async look(_context, { events, woken_for }) {
    return events.length === 0 && woken_for.length === 0 ? { wake: false, reason: "nothing_new" as const } : undefined;
  },

  async run(context, { events, woken_for }) {
    const { tx, caller, room } = context;
    if (woken_for.length > 0) await recordNudges(tx, caller, room.id, woken_for);
    if (events.length === 0) return { wake: false, reason: "nothing_new" as const };
    const decided = await decideAndNote(context, events);
    if ("hops" in decided) return { wake: true, hops: decided.hops };
    return { wake: false, reason: decided.refused, next: NEXT[decided.refused] };
  },
});

const NEXT: Readonly<Record<Refusal, string>> = {
  nothing_new: "It knows of all of it; wait for the next news.",
  chain: "Agents wake each other in a circle: until a person acts, whats_new has it all.",
  budget: "It is woken again once a person acts or an hour has passed; until then whats_new has it all.",
};
