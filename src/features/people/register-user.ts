import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { name as idField, newHandle } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { refuseRole } from "../../core/roles.ts";
import { proveAdministrator } from "./administrator-proof.ts";
import { refuseWeakPassword } from "./password-rule.ts";
import { countPersons, exposeAdministrator, insertPerson } from "./person-queries.ts";
import { profile, toProfile } from "./profile-answer.ts";
import { ownershipList, personName, personNotes } from "./profile-fields.ts";
import { findProfile } from "./profile-queries.ts";

export const registerUser = defineOperation({
  name: "register_user",
  title: "Register a person",
  description: "Makes a person of the organization, who may then sign in with login and enters the room lobby.",
  kind: "command",
  needs: "anyone",
  input: z.object({
    org_id: idField.optional(),
    admin_password: z.string().optional().describe("Not needed with an administrator's credential, nor org_id"),
    user_id: newHandle,
    name: personName,
    password: z
      .string()
      .optional()
      .describe(
        `${LIMITS.passwordLeast} characters or more; left out, the person chooses one by a link of reset_password`,
      ),
    ownership: ownershipList.default([]),
    notes: personNotes.default(""),
    role: z.enum(["member", "admin"]).default("member"),
  }),
  output: z.object({ registered: z.literal(true), profile, next_step: z.string() }),
  errors: ["wrong_sign_in", "too_many_attempts", "too_many_calls", "not_allowed", "handle_taken", "too_many"],
  untrusted: ["profile.name", "profile.ownership[]", "profile.notes"],
  example: { user_id: "eve", name: "Eve", password: "correct horse battery", ownership: ["the docs"] },

  async prepare(context, { admin_password, password, role }) {
    if (password !== undefined) refuseWeakPassword(password, role);
    const proof = await proveAdministrator(context, { admin_password });
    // Who becomes an administrator may sign in on a page and set others' passwords there; an agent may hold a token.
    if (role === "admin" && !proof) refuseRole(context.caller, "set_passwords");
    return { proof, passwordHash: password === undefined ? null : await context.passwords.hash(password) };
  },

  async run(context, { user_id: handle, name, ownership, notes, role }, { proof, passwordHash }) {
    const { tx, caller, emit } = context;
    const { organization } = caller;
    if (proof && !(await exposeAdministrator(tx, proof))) throw fail("wrong_sign_in");
    await refuseCrowd(context);
    const person = { organization, handle, name, role, passwordHash, ownership, notes };
    if (!(await insertPerson(tx, { ...person, exposed: passwordHash !== null })))
      throw fail("handle_taken", { handle });
    emit({
      kind: "member_added",
      ...(proof && { actor: proof.handle }),
      detail: `${handle} as ${role}`,
      concerns: [handle],
    });
    const row = await findProfile(tx, organization, handle);
    if (!row) throw new Error(`The new person ${handle} is not there.`);
    return { registered: true as const, profile: toProfile(row, NOBODY), next_step: nextStep(handle, passwordHash) };
  },
});

/** Administrators' notes are not in the answer, whoever asks. */
const NOBODY = { roles: new Set<never>() };

async function refuseCrowd({ tx, caller }: Context) {
  const most = LIMITS.peoplePerOrganization;
  if ((await countPersons(tx, caller.organization)) >= most)
    throw fail("too_many", { what: "people in one organization", most });
}

function nextStep(handle: string, passwordHash: string | null): string {
  return passwordHash === null
    ? `Make the link by which ${handle} chooses a password, with reset_password in your browser, or: crewroom person password ${handle}.`
    : `${handle} signs in with login, or on the hub's page, and had better choose another password there: this one passed through a tool.`;
}
