import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { RoomRow } from "./queries.ts";

/** A room's information as answers carry it. */
export const roomInfo = z.object({
  name: z.string(),
  description: z.string(),
  repo_url: z.string(),
  onboarding_notes: z.string(),
  info_set_by: z.string().nullable(),
  info_set_at: isoMoment.nullable(),
  info_by: z.enum(["writers", "admins"]),
  lease_minutes: z.int().nullable(),
  retention_days: z.int().nullable(),
  archived: z.literal(true).optional().describe("It is read, and written in no more"),
  created_ts: isoMoment,
});

export function toRoomInfo(row: RoomRow): z.input<typeof roomInfo> {
  const { name, description, repo_url, onboarding_notes, info_set_by, info_by, lease_minutes, retention_days } = row;
  const times = { info_set_at: toIso(row.info_set_at), created_ts: toIso(row.created_at) };
  return {
    name,
    description,
    repo_url,
    onboarding_notes,
    info_set_by,
    info_by,
    lease_minutes,
    retention_days,
    ...(row.archived_at !== null && { archived: true as const }),
    ...times,
  };
}
