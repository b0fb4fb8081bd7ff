import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { endSessions, isSessionOf } from "./session-queries.ts";
import { whoseSessions } from "./whose-sessions.ts";

export const revokeSession = defineOperation({
  name: "revoke_session",
  title: "End a sign-in",
  description: "Ends one of your sign-ins, of list_sessions, within two seconds and on open streams too.",
  kind: "command",
  needs: "self",
  notForAgents: true,
  input: z.object({
    session_id: z.string().max(LIMITS.handle),
    user_id: name.optional().describe("Another person's, for administrators"),
  }),
  output: z.object({
    revoked: z.boolean().describe("False when it had ended before"),
    session_id: z.string(),
    user_id: z.string(),
  }),
  errors: ["not_allowed", "person_not_found", "session_not_found"],
  example: { session_id: "01jxc4g0v1nosuchsession0000" },

  async run(context, { session_id, user_id }) {
    const { tx, caller, emit } = context;
    const { organization, handle: by } = caller;
    const person = await whoseSessions(context, user_id);
    const [ended] = await endSessions(tx, { organization, person, by }, { only: session_id });
    if (ended !== undefined) emit({ kind: "signed_out", detail: `${person} ${ended}`, concerns: [person] });
    else if (!(await isSessionOf(tx, organization, person, session_id)))
      throw fail("session_not_found", { session: session_id });
    return { revoked: ended !== undefined, session_id, user_id: person };
  },
});
