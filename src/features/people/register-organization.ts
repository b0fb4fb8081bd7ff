import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { isoMoment, name as idField, toIso, visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineOperation } from "../../core/operation.ts";
import { makeOrganization } from "../organizations/make-organization.ts";
import { findOrganization } from "../organizations/queries.ts";
import { FOUNDER } from "./administrator-proof.ts";
import { refuseWeakPassword } from "./password-rule.ts";
import { insertPerson } from "./person-queries.ts";

export const registerOrganization = defineOperation({
  name: "register_organization",
  title: "Register an organization",
  description:
    "Makes an organization with its room lobby and the person admin, who administers it and signs in with admin_password.",
  kind: "command",
  needs: "anyone",
  input: z.object({
    org_id: idField,
    name: visibleText(LIMITS.personName),
    admin_password: z.string().describe(`${LIMITS.adminPasswordLeast} characters or more`),
  }),
  output: z.object({
    org_id: z.string(),
    name: z.string(),
    created_at: isoMoment,
    user_id: z.string().describe("Who administers it"),
    important: z.string(),
  }),
  errors: ["sign_up_closed", "organization_exists", "too_many_from_address", "too_many_calls"],
  example: { org_id: "acme", name: "Acme", admin_password: "a password of the founder" },

  async prepare({ caller, passwords, read }, { org_id, admin_password }) {
    if (!caller.roles.has("sign_up")) throw fail("sign_up_closed");
    refuseWeakPassword(admin_password, "admin", "admin_password");
    // Hashing is what costs; whoever is second anyway is told below.
    if (await read((tx) => findOrganization(tx, org_id))) throw fail("organization_exists", { organization: org_id });
    return passwords.hash(admin_password, caller.address);
  },

  async run({ tx, caller, emit }, { org_id: id, name }, passwordHash) {
    const { credential, address } = caller;
    const founder = { organization: id, handle: FOUNDER, name: "Administrator", role: "admin", passwordHash } as const;
    if (!(await makeOrganization(tx, { id, name, by: { handle: FOUNDER, credential, address } })))
      throw fail("organization_exists", { organization: id });
    await insertPerson(tx, { ...founder, exposed: true });
    emit({ kind: "member_added", actor: FOUNDER, detail: FOUNDER, concerns: [FOUNDER] });
    return { org_id: id, name, created_at: toIso(tx.now), user_id: FOUNDER, important: IMPORTANT };
  },
});

const IMPORTANT = `Keep org_id and admin_password: they are needed to register users and for what administrators do, and to sign in as ${FOUNDER}. Treat the password as a secret: do not repeat it, and choose another one on the hub's page.`;
