import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { HookRow } from "./queries.ts";

/** A hook as answers carry it: never its secret. */
export const hookAnswer = z.object({
  id: z.string(),
  direction: z.enum(["out", "in"]),
  form: z.enum(["standard", "plain", "github"]),
  room: z.string().nullable().describe("Null for every room"),
  kinds: z.array(z.string()).describe("Empty for all"),
  url: z.string().describe("Where it is sent to, or where it is to be sent"),
  author: z.string().nullable().describe("Who what comes in is by"),
  finish: z.boolean(),
  label: z.string(),
  created_at: isoMoment,
  created_by: z.string(),
  state: z.enum(["working", "failing", "disabled"]),
  last_problem: z.string().nullable(),
  failing_since: isoMoment.nullable(),
  disabled_at: isoMoment.nullable(),
  disabled_reason: z.string().nullable(),
});

/** @param hub  the hub's own address, which what comes in is sent to. */
export function toHookAnswer(row: HookRow, hub: string): z.input<typeof hookAnswer> {
  const { id, direction, form, room, kinds, label, created_by, last_problem, disabled_reason } = row;
  return {
    id,
    direction,
    form,
    room,
    kinds: kinds === "" ? [] : kinds.split(" "),
    url: direction === "in" ? `${hub}/v1/inbound/${id}` : row.url,
    author: row.member,
    finish: row.finishes === 1,
    label,
    created_at: toIso(row.created_at),
    created_by,
    state: row.disabled_at !== null ? "disabled" : row.failing_since !== null ? "failing" : "working",
    last_problem,
    failing_since: toIso(row.failing_since),
    disabled_at: toIso(row.disabled_at),
    disabled_reason,
  };
}
