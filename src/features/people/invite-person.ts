import { ulid } from "ulid";
import { z } from "zod";
import { makeToken } from "../../access/tokens.ts";
import { fail } from "../../core/errors.ts";
import { isoMoment, newHandle, noteOnSecrets, toIso, visibleText } from "../../core/fields.ts";
import { LIMITS } from "../../core/limits.ts";
import { type Context, defineOperation } from "../../core/operation.ts";
import { findPolicy } from "../organizations/policy-queries.ts";
import { expiryOf } from "../tokens/expiry.ts";
import { countOpenInvitations, insertInvitation } from "./invitation-queries.ts";
import { isHandleTaken } from "./member-queries.ts";
import { personName } from "./profile-fields.ts";

const DAY = 86_400_000;
/** How long an invitation holds unless its inviter says. */
const USUALLY = "7d";

export const invitePerson = defineOperation({
  name: "invite_person",
  title: "Invite a person",
  description:
    "Makes a link by which somebody joins your organization, once; send it to them yourself. A question goes along and is asked in your name.",
  kind: "command",
  needs: "invite",
  input: z.object({
    user_id: newHandle.optional().describe("Kept for them; theirs to choose if left out"),
    name: personName.optional(),
    role: z.enum(["member", "admin"]).default("member"),
    question: visibleText(LIMITS.questionText).optional(),
    expires: z.string().default(USUALLY).describe("7d, 12h or an ISO time"),
  }),
  output: z.object({
    note: noteOnSecrets,
    invited: z.literal(true),
    invitation_id: z.string(),
    link: z.string().nullable().describe("Works once; shown this once"),
    user_id: z.string().nullable(),
    role: z.enum(["member", "admin"]),
    expires_at: isoMoment,
  }),
  errors: ["not_allowed", "handle_taken", "too_many"],
  secretFields: ["link"],
  example: { user_id: "eve", question: "Which invoices are still open?" },

  async run(context, { user_id: handle = null, name = "", role, question = null, expires }) {
    const { tx, caller, emit, settings } = context;
    await refuseIfMayNot(context, role, question);
    if (handle !== null && (await isHandleTaken(tx, caller.organization, handle)))
      throw fail("handle_taken", { handle });
    const secret = makeToken("inv");
    const id = ulid(tx.now).toLowerCase();
    const longest = tx.now + LIMITS.invitationDays * DAY;
    const expiresAt = Math.min(expiryOf(tx.now, "expires", expires) ?? longest, longest);
    await insertInvitation(tx, {
      organization: caller.organization,
      id,
      secret,
      purpose: "join",
      handle,
      name,
      role,
      question,
      createdBy: caller.handle,
      expiresAt,
    });
    emit({ kind: "person_invited", detail: `${id} for ${handle ?? "whoever comes"} as ${role}` });
    const link = `${settings.url}/join/${secret}`;
    return { invited: true as const, invitation_id: id, link, user_id: handle, role, expires_at: toIso(expiresAt) };
  },
});

/**
 * Administrators ask in members; so does everybody before a page, where the organization lets them, and nobody without end.
 * A member's token does not: an agent may hold it, and could then answer as the newcomer that it let in itself.
 */
async function refuseIfMayNot({ tx, caller }: Context, role: "member" | "admin", question: string | null) {
  // Who becomes an administrator in a browser may set others' passwords there, and so approve as them.
  if (role === "admin" && !caller.roles.has("set_passwords"))
    throw fail("not_allowed", {
      needs: "an administrator's own browser, or the server's shell: no token makes an administrator",
    });
  const mayInvite =
    caller.roles.has("organization_admin") ||
    (caller.roles.has("browser") && (await findPolicy(tx, caller.organization)).invitations_by === "members");
  if (!mayInvite)
    throw fail("not_allowed", {
      needs: "an organization administrator; or your own browser, where set_policy lets members invite",
    });
  if (question !== null && caller.person === undefined)
    throw fail("bad_input", { field: "question", problem: "needs a person who asks it; this token is nobody's" });
  const open = await countOpenInvitations(tx, caller.organization, caller.handle);
  if (open >= LIMITS.openInvitations) throw fail("too_many", { what: "open invitations of one member", most: open });
}
