import { z } from "zod";
import { siteOf, userIdOf } from "../../access/passkeys.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { defineOperation } from "../../core/operation.ts";
import { listPasskeysOf } from "./queries.ts";
import { registrationChallenge } from "./registration-challenge.ts";

export const listPasskeys = defineOperation({
  name: "list_passkeys",
  title: "List your passkeys",
  description: "The passkeys that you can sign answers with, and what a browser needs to register another one.",
  kind: "query",
  needs: "self",
  notForAgents: true,
  input: z.object({}),
  output: z.object({
    count: z.int(),
    passkeys: z.array(
      z.object({ id: z.string(), label: z.string(), created_at: isoMoment, last_used_at: isoMoment.nullable() }),
    ),
    site: z.string().nullable().describe("The site they hold for; null where browsers allow none"),
    challenge: z.string().describe("Base64url, for registering in this session"),
    user_id: z.string().describe("Base64url, what authenticators know you by"),
  }),
  errors: [],
  example: {},

  async run({ tx, caller, settings }) {
    const rows = await listPasskeysOf(tx, caller);
    return {
      count: rows.length,
      passkeys: rows.map(({ id, label, created_at, last_used_at }) => ({
        id,
        label,
        created_at: toIso(created_at),
        last_used_at: toIso(last_used_at),
      })),
      site: siteOf(settings.url)?.id ?? null,
      challenge: registrationChallenge(caller),
      user_id: userIdOf(caller.organization, caller.handle),
    };
  },
});
