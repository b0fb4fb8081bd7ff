import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { interaction, profile, toInteraction, toProfile } from "./profile-answer.ts";
import { findProfile, listInteractions } from "./profile-queries.ts";

export const getUserProfile = defineOperation({
  name: "get_user_profile",
  title: "Read a person's profile",
  description: "What a coworker looks after, and how often you two have exchanged questions.",
  kind: "query",
  needs: "person_read",
  input: z.object({ user_id: name }),
  output: z.object({ profile, interactions: z.array(interaction) }),
  errors: ["person_not_found"],
  untrusted: ["profile.name", "profile.ownership[]", "profile.notes", "profile.profile_notes"],
  example: { user_id: "ben" },

  async run({ tx, caller }, { user_id }) {
    const { organization, person } = caller;
    const row = await findProfile(tx, organization, user_id);
    if (!row) throw fail("person_not_found", { user_id });
    if (person === undefined) throw new Error("A reader of profiles acts for nobody.");
    // The reader's own pair alone: who else talks to whom is nobody's business.
    const interactions = await listInteractions(tx, { organization, person, other: user_id, limit: 1 });
    return { profile: toProfile(row, caller), interactions: interactions.map(toInteraction) };
  },
});
