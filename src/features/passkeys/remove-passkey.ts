import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineOperation } from "../../core/operation.ts";
import { removePasskeyOf } from "./queries.ts";

export const removePasskey = defineOperation({
  name: "remove_passkey",
  title: "Remove a passkey",
  description: "Nothing can be signed with it any more; what was signed stays signed and can still be checked.",
  kind: "command",
  needs: "browser",
  notForAgents: true,
  input: z.object({ passkey_id: z.string().max(2_000) }),
  output: z.object({ removed: z.literal(true), passkey_id: z.string() }),
  errors: ["not_found"],
  example: { passkey_id: "AAAA" },

  async run({ tx, caller, emit }, { passkey_id }) {
    if (!(await removePasskeyOf(tx, caller, passkey_id)))
      throw fail("not_found", { what: "passkey of yours with that id" });
    emit({ kind: "passkey_removed", detail: passkey_id, concerns: [caller.handle] });
    return { removed: true as const, passkey_id };
  },
});
