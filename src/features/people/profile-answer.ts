import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { Caller } from "../../core/operation.ts";
import type { InteractionRow, ProfileRow } from "./profile-queries.ts";

/** A person as answers carry it. */
export const profile = z.object({
  org_id: z.string(),
  user_id: z.string(),
  name: z.string(),
  role: z.enum(["member", "admin"]),
  ownership: z.array(z.string()),
  notes: z.string(),
  profile_notes: z.string().optional().describe("For administrators alone"),
  created_at: isoMoment,
});

/** What an administrator noted of a person goes out to administrators alone, and nowhere else is it written. */
export function toProfile(row: ProfileRow, reader: Pick<Caller, "roles">): z.input<typeof profile> {
  return {
    org_id: row.organization,
    user_id: row.handle,
    name: row.display_name,
    role: row.role,
    ownership: JSON.parse(row.ownership) as string[], // written by updateProfile and insertPerson
    notes: row.notes,
    ...(reader.roles.has("organization_admin") && { profile_notes: row.profile_notes }),
    created_at: toIso(row.created_at),
  };
}

/** What went between the reader and another person. */
export const interaction = z.object({
  other_user_id: z.string(),
  message_count: z.int(),
  last_interaction_at: isoMoment,
});

export function toInteraction({ other, messages, last_at }: InteractionRow): z.input<typeof interaction> {
  return { other_user_id: other, message_count: messages, last_interaction_at: toIso(last_at) };
}
