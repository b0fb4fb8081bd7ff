import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { ownProfile } from "./own-profile.ts";
import { profile } from "./profile-answer.ts";
import { ownershipList, personName, personNotes } from "./profile-fields.ts";

const fields = { name: personName.optional(), ownership: ownershipList.optional(), notes: personNotes.optional() };

export const setMyProfile = defineOperation({
  name: "set_my_profile",
  title: "Set your profile",
  description: "Sets your name, what you look after, or your notes; coworkers find you by them.",
  kind: "command",
  needs: "self",
  input: z.object(fields),
  output: z.object({ updated: z.literal(true), profile }),
  errors: ["person_not_found"],
  untrusted: ["profile.profile_notes"],
  example: { ownership: ["billing", "the staging boxes"] },

  async run(context, change) {
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw fail("bad_input", { field: "", problem: `has nothing to set; give ${Object.keys(fields).join(", ")}` });
    return { updated: true as const, profile: await ownProfile(context, change) };
  },
});
