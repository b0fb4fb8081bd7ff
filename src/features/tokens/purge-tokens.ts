import { z } from "zod";
import { defineOperation } from "../../core/operation.ts";
import { countTokens, purgeRevokedTokens } from "./queries.ts";

const DAY = 86_400_000;
/** Beyond it every age is the same: older than any hub. */
const MOST_DAYS = 36_500;

export const purgeTokens = defineOperation({
  name: "purge_tokens",
  title: "Remove revoked tokens",
  description:
    "Removes the records of tokens that were revoked at least so many days ago; 0 removes all revoked ones. Live tokens stay.",
  kind: "command",
  needs: "organization_admin",
  // Required, so that a missing or mistyped age never means "all".
  input: z.object({
    older_than_days: z
      .int()
      .min(0)
      .transform((days) => Math.min(days, MOST_DAYS)),
  }),
  output: z.object({
    ok: z.literal(true),
    removed: z.int(),
    revoked_remaining: z.int(),
    live_tokens: z.int(),
    older_than_days: z.int(),
  }),
  errors: [],
  example: { older_than_days: 30 },

  async run({ tx, caller, emit }, { older_than_days }) {
    const removed = await purgeRevokedTokens(tx, caller.organization, tx.now - older_than_days * DAY);
    if (removed > 0) emit({ kind: "tokens_purged", detail: `${removed} revoked tokens` });
    const { live, revoked } = await countTokens(tx, caller.organization);
    return { ok: true as const, removed, revoked_remaining: revoked, live_tokens: live, older_than_days };
  },
});
