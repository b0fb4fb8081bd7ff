import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { invitationScope, withdrawInvitation } from "./invitation-queries.ts";

export const revokeInvitation = defineOperation({
  name: "revoke_invitation",
  title: "Withdraw an invitation",
  description: "Ends a link that was not used yet: an administrator anybody's, others their own.",
  kind: "command",
  needs: "invite",
  notForAgents: true,
  input: z.object({ invitation_id: z.string().max(LIMITS.handle) }),
  output: z.object({ revoked: z.literal(true), invitation_id: z.string() }),
  errors: ["invitation_not_found"],
  example: { invitation_id: "01jd000000000000000000000a" },

  async run({ tx, caller, emit }, { invitation_id }) {
    if (!(await withdrawInvitation(tx, invitationScope(caller), invitation_id)))
      throw fail("invitation_not_found", { invitation: invitation_id });
    emit({ kind: "person_invited", detail: `${invitation_id} withdrawn` });
    return { revoked: true as const, invitation_id };
  },
});
