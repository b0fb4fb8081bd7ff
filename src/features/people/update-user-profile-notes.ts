import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { proveAdministrator } from "./administrator-proof.ts";
import { exposeAdministrator } from "./person-queries.ts";
import { personNotes } from "./profile-fields.ts";
import { updateProfile } from "./profile-queries.ts";

export const updateUserProfileNotes = defineOperation({
  name: "update_user_profile_notes",
  title: "Set notes on a person",
  description: "Replaces what administrators noted of a person; administrators alone see it.",
  kind: "command",
  needs: "anyone",
  input: z.object({
    org_id: name.optional(),
    admin_password: z.string().optional().describe("Not needed with an administrator's credential"),
    user_id: name,
    profile_notes: personNotes,
  }),
  output: z.object({ updated: z.literal(true), org_id: z.string(), user_id: z.string() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls", "not_allowed", "person_not_found"],
  example: { user_id: "ben", profile_notes: "On leave until March." },

  prepare: proveAdministrator,

  async run({ tx, caller, emit }, { user_id, profile_notes }, proof) {
    const { organization } = caller;
    if (proof && !(await exposeAdministrator(tx, proof))) throw fail("wrong_sign_in");
    if (!(await updateProfile(tx, organization, user_id, { profileNotes: profile_notes })))
      throw fail("person_not_found", { user_id });
    emit({
      kind: "member_changed",
      ...(proof && { actor: proof.handle }),
      detail: `${user_id} profile notes`,
      content: profile_notes,
    });
    return { updated: true as const, org_id: organization, user_id };
  },
});
