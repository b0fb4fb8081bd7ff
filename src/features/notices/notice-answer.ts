import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { CHANNELS, type NoticeRow } from "./queries.ts";

/** How a person is told, as answers carry it. */
export const notice = z.object({
  id: z.string(),
  channel: z.enum(CHANNELS),
  host: z.string().describe("Of its address, which is not shown again"),
  label: z.string(),
  created_at: isoMoment,
  state: z.enum(["working", "failing", "disabled"]),
  problem: z.string().nullable(),
});

export function toNotice(row: NoticeRow): z.input<typeof notice> {
  const { id, channel, shown: host, label, last_problem, disabled_reason } = row;
  const state = row.disabled_at !== null ? "disabled" : row.failing_since !== null ? "failing" : "working";
  const problem = state === "working" ? null : (disabled_reason ?? last_problem);
  return { id, channel, host, label, created_at: toIso(row.created_at), state, problem };
}
