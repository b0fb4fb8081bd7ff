import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { ownProfile } from "./own-profile.ts";
import { personNotes } from "./profile-fields.ts";

export const updateMyNotes = defineOperation({
  name: "update_my_notes",
  title: "Set your notes",
  description: "Replaces the notes of your profile, which coworkers see.",
  kind: "command",
  needs: "self",
  input: z.object({ notes: personNotes }),
  output: z.object({ updated: z.literal(true), user_id: z.string(), notes: z.string() }),
  errors: ["person_not_found"],
  example: { notes: "Best in the morning. Ask Ben about invoices." },

  async run(context, { notes }) {
    const changed = await ownProfile(context, { notes });
    return { updated: true as const, user_id: changed.user_id, notes: changed.notes };
  },
});
