import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { deleteHookOf, endHookToken } from "./queries.ts";

export const deleteHook = defineOperation({
  name: "delete_hook",
  title: "Delete a webhook",
  description: "Nothing goes out or comes in by it any more, within two seconds. What came in stays.",
  kind: "command",
  needs: "organization_admin",
  notForAgents: true,
  input: z.object({ hook_id: z.string().min(1).max(LIMITS.handle) }),
  output: z.object({ deleted: z.literal(true), hook_id: z.string() }),
  errors: ["not_found"],
  example: { hook_id: "01hook" },

  async run({ tx, caller, emit }, { hook_id }) {
    const gone = await deleteHookOf(tx, caller.organization, hook_id);
    if (!gone) throw fail("not_found", { what: "webhook with that id" });
    if (gone.direction === "in") await endHookToken(tx, caller.organization, hook_id, caller.handle);
    emit({ kind: "hook_deleted", detail: hook_id });
    return { deleted: true as const, hook_id };
  },
});
