import { z } from "zod";
import { isWellFormedToken } from "../../core/secrets.ts";
import { fail } from "../../core/errors.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { findOrganization } from "../organizations/queries.ts";
import { findOpenInvitation } from "./invitation-queries.ts";
import { findProfile } from "./profile-queries.ts";

export const showInvitation = defineOperation({
  name: "show_invitation",
  title: "Show an invitation",
  description: "What a link is good for: to join, or to choose a new password. It is not used up by that.",
  kind: "query",
  needs: "anyone",
  input: z.object({ token: z.string() }),
  output: z.object({
    org_id: z.string(),
    organization: z.string().describe("Its name in full"),
    purpose: z.enum(["join", "password"]),
    user_id: z.string().nullable().describe("The person whose password it is, or the handle that is kept"),
    name: z.string(),
    role: z.enum(["member", "admin"]),
    invited_by: z.string(),
    has_question: z.boolean(),
    expires_at: isoMoment,
  }),
  errors: ["invitation_ended"],
  untrusted: ["name"],
  example: { token: "crw_inv_" },

  async run({ tx }, { token }) {
    const invitation = isWellFormedToken(token) ? await findOpenInvitation(tx, token) : undefined;
    const organization = invitation && (await findOrganization(tx, invitation.organization));
    if (!invitation || !organization) throw fail("invitation_ended");
    const { purpose, handle, display_name, created_by, expires_at } = invitation;
    const person =
      purpose === "password" && handle !== null ? await findProfile(tx, organization.id, handle) : undefined;
    if (purpose === "password" && !person) throw fail("invitation_ended");
    return {
      org_id: organization.id,
      organization: organization.name,
      purpose,
      user_id: handle,
      name: person?.display_name ?? display_name,
      role: person?.role ?? invitation.role,
      invited_by: created_by,
      has_question: invitation.question !== null,
      expires_at: toIso(expires_at),
    };
  },
});
