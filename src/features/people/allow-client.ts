import { ulid } from "ulid";
import { z } from "zod";
import { endOldestGrants, insertGrant, keepClient } from "../../access/oauth/queries.ts";
import { flagsOf, SCOPES } from "../../access/oauth/scopes.ts";
import { HUB } from "../../core/event-log.ts";
import { visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuseRole } from "../../core/roles.ts";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

export const allowClient = defineOperation({
  name: "allow_client",
  title: "Let a client in",
  description: "Gives a client that asked for it a sign-in of the person before the page, for the scopes it ticked.",
  kind: "command",
  needs: "browser",
  input: z.strictObject({
    grant: digest.describe("Of the grant's name at the authorization server"),
    client: digest.describe("Of the client's id there"),
    client_name: visibleText(LIMITS.label),
    scopes: z.array(z.enum(SCOPES)).min(1),
    seconds: z.int().positive().describe("How long it lasts unless it is used"),
  }),
  output: z.strictObject({ allowed: z.literal(true), made: z.boolean().describe("False when it was there already") }),
  errors: [],
  example: {
    grant: "0".repeat(64),
    client: "0".repeat(64),
    client_name: "Claude Code",
    scopes: ["hub:read", "hub:write"],
    seconds: 2_592_000,
  },

  async run({ tx, caller, emit }, { grant, client, client_name: label, scopes, seconds }) {
    if (scopes.includes("hub:admin")) refuseRole(caller, "organization_admin");
    const { organization, handle } = caller;
    const id = ulid(tx.now).toLowerCase();
    const expiresAt = tx.now + seconds * 1_000;
    const row = { organization, id, person: handle, label, hash: grant, ...flagsOf(scopes), expiresAt };
    if (!(await insertGrant(tx, row))) return { allowed: true as const, made: false };
    await keepClient(tx, client, expiresAt);
    emit({ kind: "signed_in", detail: `${handle} ${id} ${label}: ${scopes.join(" ")}`, concerns: [handle] });
    for (const ended of await endOldestGrants(tx, organization, handle, HUB))
      emit({ kind: "signed_out", actor: HUB, detail: `${handle} ${ended}: too many`, concerns: [handle] });
    return { allowed: true as const, made: true };
  },
});
