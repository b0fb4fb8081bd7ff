import { z } from "zod";
import { openSession } from "../../access/sign-in.ts";
import { isWellFormedToken } from "../../core/secrets.ts";
import { fail } from "../../core/errors.ts";
import { isoMoment, name as nameField, newHandle, text, toIso } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { askNewcomer } from "./ask-newcomer.ts";
import { findOpenInvitation, type InvitationRow, useInvitation } from "./invitation-queries.ts";
import { withdrawPasswordLinks } from "./password-queries.ts";
import { countPersons, insertPerson, setPassword } from "./person-queries.ts";
import { personName } from "./profile-fields.ts";
import { refuseWeakPassword } from "./password-rule.ts";
import { findProfile } from "./profile-queries.ts";
import { endSessions } from "./session-queries.ts";

/**
 * What the page behind a link does: makes the person, or sets the password of the one it names, and signs that one in. The
 * password was chosen on a page, so no tool has seen it. Whatever is wrong with a link, the answer is the same.
 */
export const acceptInvitation = defineOperation({
  name: "accept_invitation",
  title: "Accept an invitation",
  description: "Uses a link up: makes the person, or sets its password, and signs it in.",
  kind: "command",
  needs: "anyone",
  input: z.object({
    org_id: nameField.describe("As show_invitation gives it"),
    token: z.string(),
    handle: newHandle.optional().describe("Where none is kept, or the one kept was taken meanwhile"),
    name: personName.optional(),
    password: z.string(),
    browser: text(LIMITS.label).default("").describe("What the sign-in is called in the person's list"),
  }),
  output: z.object({
    session: z.string(),
    organization: z.string(),
    handle: z.string(),
    joined: z.boolean().describe("False where a password was set"),
    expires_at: isoMoment,
  }),
  errors: ["invitation_ended", "handle_taken", "too_many"],
  secretFields: ["session"],
  example: { org_id: "main", token: "crw_inv_", handle: "eve", name: "Eve", password: "correct horse battery" },

  async prepare({ caller, passwords, read }, { token, password }) {
    const role = await read(async (tx) => roleOf(tx, await findUsable(tx, caller.organization, token)));
    refuseWeakPassword(password, role);
    return passwords.hash(password);
  },

  async run(context, input, passwordHash) {
    const { tx, caller, emit } = context;
    const { organization, address } = caller;
    const invitation = await findUsable(tx, organization, input.token);
    const joined = invitation.purpose === "join";
    const handle = joined
      ? await join(context, invitation, { ...input, passwordHash })
      : await renew(context, invitation, passwordHash);
    // Of several who come at once one gets here; what the others did is undone with their refusal.
    if (!(await useInvitation(tx, organization, input.token, handle))) throw fail("invitation_ended");
    emit({ kind: "person_invited", actor: handle, detail: `${invitation.id} used by ${handle}`, concerns: [handle] });
    if (!joined) await endFormer(context, handle);
    const session = await openSession(context, {
      organization,
      handle,
      passwordHash,
      kind: "web",
      label: input.browser,
      address,
      admin: true,
    });
    if (joined) await askNewcomer(context, invitation, handle);
    return { session: session.secret, organization, handle, joined, expires_at: toIso(session.expiresAt) };
  },
});

/** @throws HubError `invitation_ended`, whatever is wrong. */
async function findUsable(tx: Tx, organization: string, token: string): Promise<InvitationRow> {
  const invitation = isWellFormedToken(token) ? await findOpenInvitation(tx, token) : undefined;
  if (invitation?.organization !== organization) throw fail("invitation_ended");
  return invitation;
}

/** The role that its person will have, or has. */
async function roleOf(tx: Tx, { organization, purpose, handle, role }: InvitationRow): Promise<"member" | "admin"> {
  if (purpose === "join") return role;
  const person = handle === null ? undefined : await findProfile(tx, organization, handle);
  if (!person) throw fail("invitation_ended");
  return person.role;
}

interface Newcomer {
  readonly handle?: string | undefined;
  readonly name?: string | undefined;
  readonly passwordHash: string;
}

/** Makes the person under the handle that was kept for it, or else under the one it wishes. */
async function join({ tx, emit }: Context, invitation: InvitationRow, newcomer: Newcomer): Promise<string> {
  const { organization, role } = invitation;
  const most = LIMITS.peoplePerOrganization;
  if ((await countPersons(tx, organization)) >= most)
    throw fail("too_many", { what: "people in one organization", most });
  const wished = [invitation.handle, newcomer.handle ?? null].filter((handle) => handle !== null);
  const [first] = wished;
  if (first === undefined) throw fail("bad_input", { field: "handle", problem: "is required: none is kept for you" });
  for (const handle of wished) {
    const name = newcomer.name ?? (invitation.display_name || handle);
    const person = { organization, handle, name, role, passwordHash: newcomer.passwordHash, exposed: false };
    if (!(await insertPerson(tx, person))) continue;
    emit({ kind: "member_added", actor: handle, detail: `${handle} as ${role}`, concerns: [handle] });
    return handle;
  }
  throw fail("handle_taken", { handle: wished.at(-1) ?? first });
}

/** Sets the password of the person that the link names. */
async function renew({ tx, emit }: Context, invitation: InvitationRow, passwordHash: string): Promise<string> {
  const { organization, handle } = invitation;
  if (handle === null || !(await setPassword(tx, { organization, handle, passwordHash, exposed: false })))
    throw fail("invitation_ended");
  emit({ kind: "password_changed", actor: handle, detail: handle, concerns: [handle] });
  return handle;
}

/** Ends what came of the former password: every sign-in, and other links that would set one. */
async function endFormer({ tx, caller, emit }: Context, handle: string) {
  const { organization } = caller;
  for (const id of await withdrawPasswordLinks(tx, organization, handle))
    emit({ kind: "person_invited", actor: handle, detail: `${id} withdrawn`, concerns: [handle] });
  for (const id of await endSessions(tx, { organization, person: handle, by: handle }, { but: undefined }))
    emit({ kind: "signed_out", actor: handle, detail: `${handle} ${id}`, concerns: [handle] });
}
