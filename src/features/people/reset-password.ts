import { ulid } from "ulid";
import { z } from "zod";
import { makeToken } from "../../access/tokens.ts";
import { fail } from "../../core/errors.ts";
import { isoMoment, name, noteOnSecrets, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { endFormerPassword } from "./former-password.ts";
import { insertInvitation } from "./invitation-queries.ts";
import { clearPassword } from "./password-queries.ts";
import { refuseWeakPassword } from "./password-rule.ts";
import { setPassword } from "./person-queries.ts";
import { findProfile, type ProfileRow } from "./profile-queries.ts";

const HOUR = 3_600_000;

export const resetPassword = defineOperation({
  name: "reset_password",
  title: "Reset a person's password",
  description:
    "Ends a person's password and sign-ins at once, and gives a link by which that person chooses a new one, or sets the one you give.",
  kind: "command",
  needs: "set_passwords",
  notForAgents: true,
  input: z.object({
    user_id: name,
    password: z.string().optional().describe("Better left out: one that you know is not that person's alone"),
  }),
  output: z.object({
    note: noteOnSecrets,
    reset: z.literal(true),
    user_id: z.string(),
    link: z.string().nullable().describe("Works once; shown this once. Null when a password was given"),
    expires_at: isoMoment.nullable(),
    sessions_ended: z.int(),
  }),
  errors: ["person_not_found", "too_many_calls"],
  secretFields: ["link"],
  example: { user_id: "ben" },

  async prepare({ caller, passwords, read }, { user_id, password }) {
    if (password === undefined) return undefined;
    const person = await read((tx) => findProfile(tx, caller.organization, user_id));
    if (!person) throw fail("person_not_found", { user_id });
    refuseWeakPassword(password, person.role);
    return passwords.hash(password);
  },

  async run(context, { user_id }, passwordHash) {
    const { tx, caller, emit } = context;
    const { organization } = caller;
    const person = await findProfile(tx, organization, user_id);
    const which = { organization, handle: user_id };
    const done = passwordHash
      ? await setPassword(tx, { ...which, passwordHash, exposed: true })
      : await clearPassword(tx, organization, user_id);
    if (!person || !done) throw fail("person_not_found", { user_id });
    const by = passwordHash ? "set" : "to be chosen by a link";
    emit({ kind: "password_changed", detail: `${user_id}: ${by}`, concerns: [user_id] });
    const sessionsEnded = await endFormerPassword(context, user_id);
    const made = passwordHash ? undefined : await makeLink(context, person);
    return {
      reset: true as const,
      user_id,
      link: made?.link ?? null,
      expires_at: made ? toIso(made.expiresAt) : null,
      sessions_ended: sessionsEnded,
    };
  },
});

/** The link by which a person chooses a password, on a page of the hub and once. */
async function makeLink({ tx, caller, emit, settings }: Context, { organization, handle, role }: ProfileRow) {
  const secret = makeToken("inv");
  const id = ulid(tx.now).toLowerCase();
  const expiresAt = tx.now + LIMITS.passwordLinkHours * HOUR;
  await insertInvitation(tx, {
    organization,
    id,
    secret,
    purpose: "password",
    handle,
    name: "",
    role,
    question: null,
    createdBy: caller.handle,
    expiresAt,
  });
  emit({ kind: "person_invited", detail: `${id} for ${handle} to choose a password`, concerns: [handle] });
  return { link: `${settings.url}/join/${secret}`, expiresAt };
}
