import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { RECEIPT_STATES, receiptState } from "./model.ts";
import { type ReachAnswer, reachFields } from "./reach.ts";

/** By which path a member was woken first; the text was not in it. */
export const nudged = z.object({ path: z.string(), ts: isoMoment }).optional();
/** By which path the text came to which of its sessions first. */
export const handedOver = z.object({ path: z.string(), session: z.string(), ts: isoMoment }).optional();

/** How far something came to one member; while it was not handed over, also how that one is reached. */
export const receipt = z.object({
  member: z.string(),
  state: z.enum([...RECEIPT_STATES, "answered"]),
  nudged,
  handed_over: handedOver,
  acknowledged_ts: isoMoment.optional(),
  answered_ts: isoMoment.optional(),
  paths: reachFields.paths.optional(),
  last_seen: reachFields.last_seen.optional(),
  pull_only: reachFields.pull_only,
  why_not: reachFields.why_not,
});
export type ReceiptAnswer = z.input<typeof receipt>;

/** What is kept of the way. Moments are ms since 1970. */
export interface Way {
  readonly nudged_at: number | null;
  readonly nudged_path: string | null;
  readonly handed_over_at: number | null;
  readonly handed_over_path: string | null;
  readonly handed_over_session: string | null;
}

export function wayOf(row: Way): Pick<ReceiptAnswer, "nudged" | "handed_over"> {
  const { nudged_at, nudged_path, handed_over_at, handed_over_path, handed_over_session } = row;
  return {
    ...(nudged_at !== null && { nudged: { path: nudged_path ?? "-", ts: toIso(nudged_at) } }),
    ...(handed_over_at !== null && {
      handed_over: { path: handed_over_path ?? "-", session: handed_over_session ?? "-", ts: toIso(handed_over_at) },
    }),
  };
}

/** `answered_at`: for questions, when its answer was given. */
export function toReceipt(
  row: Way & { readonly member: string; readonly acknowledged_at: number | null; readonly answered_at?: number | null },
  reach: ReachAnswer | undefined,
): ReceiptAnswer {
  const { member, acknowledged_at, answered_at = null } = row;
  const state = receiptState(row);
  const waits = (state === "stored" || state === "nudged") && answered_at === null;
  return {
    member,
    state: answered_at === null ? state : "answered",
    ...wayOf(row),
    ...(acknowledged_at !== null && { acknowledged_ts: toIso(acknowledged_at) }),
    ...(answered_at !== null && { answered_ts: toIso(answered_at) }),
    ...(waits && (reach ?? { paths: [], last_seen: null })),
  };
}
