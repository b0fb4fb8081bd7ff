import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { ownerScope } from "./own-agents.ts";
import { isTokenKnown, revokeTokens } from "./queries.ts";

export const revokeToken = defineOperation({
  name: "revoke_token",
  title: "Revoke a token",
  description: "Ends one token, or all of an agent, within two seconds and on open streams too.",
  kind: "command",
  needs: "mint",
  input: z.object({
    token_id: z.string().max(LIMITS.handle).optional(),
    agent: name.optional(),
    confirm_self: z.boolean().default(false).describe("Needed to end the token of this very call"),
  }),
  output: z.object({
    ok: z.literal(true),
    revoked: z.int(),
    token_ids: z.array(z.string()),
    agents: z.array(z.string()),
  }),
  errors: ["token_not_found", "own_token"],
  example: { agent: "box2" },

  async run({ tx, caller, emit }, { token_id, agent, confirm_self }) {
    const which = { ...whichTokens(token_id, agent), owner: ownerScope(caller) };
    const revoked = await revokeTokens(tx, caller.organization, which, caller.handle);
    if (revoked.length === 0 && !(await isTokenKnown(tx, caller.organization, which))) {
      throw fail("token_not_found", { token: token_id ?? `of agent ${agent}` });
    }
    // Refused after the fact: the transaction is rolled back, and the race between looking and revoking does not exist.
    if (!confirm_self && revoked.some((token) => token.id === caller.credential)) throw fail("own_token");
    for (const token of revoked)
      emit({ kind: "token_revoked", detail: `${token.member} ${token.id}`, concerns: [token.member] });
    const agents = [...new Set(revoked.map((token) => token.member))];
    return { ok: true as const, revoked: revoked.length, token_ids: revoked.map((token) => token.id), agents };
  },
});

function whichTokens(id: string | undefined, agent: string | undefined): { id: string } | { agent: string } {
  if (id !== undefined && agent === undefined) return { id };
  if (agent !== undefined && id === undefined) return { agent };
  throw fail("bad_input", { field: "", problem: "must have either token_id or agent" });
}
