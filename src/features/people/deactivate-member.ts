import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { closeQuestionsOf } from "./close-questions.ts";
import { withdrawInvitations } from "./invitation-queries.ts";
import { endAgentsOf, endCredentials, endMember, isMember } from "./member-queries.ts";

export const deactivateMember = defineOperation({
  name: "deactivate_member",
  title: "Deactivate a member",
  description:
    "Ends a person or an agent for good, with every credential, within two seconds; a person's agents too. What it wrote stays.",
  kind: "command",
  needs: "organization_admin",
  input: z.object({ user_id: name }),
  output: z.object({
    deactivated: z.literal(true),
    user_id: z.string(),
    agents: z.array(z.string()).describe("Agents that ended with their person"),
    credentials: z.int().describe("How many were ended"),
    questions: z.int().describe("How many were closed"),
    invitations: z.int().describe("How many were withdrawn"),
  }),
  errors: ["person_not_found", "last_administrator"],
  example: { user_id: "box3" },

  async run(context, { user_id }) {
    const { tx, caller, emit } = context;
    const { organization, handle: by } = caller;
    if (!(await endMember(tx, organization, user_id))) {
      throw fail((await isMember(tx, organization, user_id)) ? "last_administrator" : "person_not_found", { user_id });
    }
    const agents = await endAgentsOf(tx, organization, user_id);
    const gone = [user_id, ...agents] as const;
    const credentials = await endCredentials(tx, organization, gone, by);
    const invitations = await withdrawInvitations(tx, organization, gone);
    for (const handle of gone) emit({ kind: "member_changed", detail: `${handle} deactivated`, concerns: [handle] });
    for (const { id, kind, member } of credentials)
      emit({ kind: kind === "agt" ? "token_revoked" : "signed_out", detail: `${member} ${id}`, concerns: [member] });
    for (const { id } of invitations) emit({ kind: "person_invited", detail: `${id} withdrawn` });
    const questions = await closeQuestionsOf(context, gone);
    return {
      deactivated: true as const,
      user_id,
      agents,
      credentials: credentials.length,
      questions,
      invitations: invitations.length,
    };
  },
});
