import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { endSessions } from "./session-queries.ts";

export const logout = defineOperation({
  name: "logout",
  title: "Sign out",
  description: "Ends the sign-in that this call is made with.",
  kind: "command",
  needs: "self",
  input: z.object({}),
  output: z.object({ logged_out: z.literal(true) }),
  errors: [],
  example: {},

  async run({ tx, caller, emit }) {
    const { organization, handle, credential } = caller;
    const whose = { organization, person: handle, by: handle };
    for (const id of await endSessions(tx, whose, { only: credential }))
      emit({ kind: "signed_out", detail: `${handle} ${id}`, concerns: [handle] });
    return { logged_out: true as const };
  },
});
