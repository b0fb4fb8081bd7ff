import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import { LEVELS } from "../approval/model.ts";
import { approvePage } from "../approval/approval-answer.ts";
import { profile } from "../people/profile-answer.ts";
import { STATES } from "./model.ts";
import type { NewsRow, WaitingRow } from "./queries.ts";
import { stateForAsker } from "./standing.ts";

/** A question as its recipient's side sees it. */
export const waiting = z.object({
  id: z.int(),
  from_user_id: z.string(),
  asked_by: z.string(),
  to_user_id: z.string(),
  query_text: z.string(),
  options: z.array(z.string()).optional(),
  status: z.enum(STATES),
  created_at: isoMoment,
  expires_at: isoMoment,
  follows: z.int().optional(),
  draft_response: z.string().nullable(),
  draft_by: z.string().optional(),
  rejected: z.string().optional(),
  approve_url: z.string().optional(),
  from_profile: profile.nullable(),
});

export const UNTRUSTED_IN_WAITING = [
  "pending[].query_text",
  "pending[].options[]",
  "pending[].draft_response",
  "pending[].from_profile.name",
  "pending[].from_profile.ownership[]",
  "pending[].from_profile.notes",
  "pending[].from_profile.profile_notes",
] as const;

export function toWaiting(
  row: WaitingRow,
  from_profile: z.input<typeof profile> | undefined,
  url: string,
): z.input<typeof waiting> {
  const options = JSON.parse(row.options) as string[]; // written by insertQuestion
  return {
    id: row.number,
    from_user_id: row.asker,
    asked_by: row.asked_by,
    to_user_id: row.recipient,
    query_text: row.question,
    ...(options.length > 0 && { options }),
    status: row.state,
    created_at: toIso(row.created_at),
    expires_at: toIso(row.expires_at),
    ...(row.follows !== null && { follows: row.follows }),
    draft_response: row.draft_text,
    ...(row.draft_by !== null && { draft_by: row.draft_by }),
    ...(row.state === "drafted" && row.rejected !== null && { rejected: row.rejected }),
    ...(row.open_approval !== null && { approve_url: approvePage(url, row.open_approval) }),
    from_profile: from_profile ?? null,
  };
}

/** What became of a question, as its asker's side sees it. It has no field for drafts. */
export const reply = z.object({
  id: z.int(),
  from_user_id: z.string(),
  to_user_id: z.string(),
  query_text: z.string(),
  status: z.enum(STATES),
  created_at: isoMoment,
  told_at: isoMoment,
  answered_at: isoMoment.nullable(),
  final_response: z.string().nullable(),
  assurance: z.enum(LEVELS).optional(),
  approved_by: z.string().optional(),
  approved_at: isoMoment.optional(),
  closed_by: z.string().optional(),
  reason: z.string().optional(),
  follows: z.int().optional(),
});

export const UNTRUSTED_IN_REPLY = ["replies[].final_response", "replies[].reason"] as const;

export function toReply(row: NewsRow, now: number): z.input<typeof reply> {
  return {
    id: row.number,
    from_user_id: row.asker,
    to_user_id: row.recipient,
    query_text: row.question,
    status: stateForAsker(row, now),
    created_at: toIso(row.created_at),
    told_at: toIso(row.told_at),
    answered_at: toIso(row.answered_at),
    final_response: row.answer,
    ...(row.level !== null && { assurance: row.level }),
    ...(row.decided_by !== null && { approved_by: row.decided_by }),
    ...(row.decided_at !== null && { approved_at: toIso(row.decided_at) }),
    ...(row.answer === null && row.closed_by !== null && { closed_by: row.closed_by }),
    ...(row.reason !== "" && { reason: row.reason }),
    ...(row.follows !== null && { follows: row.follows }),
  };
}
