import { type VerifiedPerson, verifySignIn } from "../../access/sign-in.ts";
import { fail } from "../../core/errors.ts";
import type { PrepareContext } from "../../core/operation.ts";

/** The person that signing an organization up makes; an `admin_password` is this one's. */
export const FOUNDER = "admin";

/**
 * For `prepare`: that the caller administers. An administrator's credential does (then there is no proof to give), or the
 * password of the organization's founder, which its rule then notes with `exposeAdministrator`.
 *
 * @throws HubError `wrong_sign_in` alike for no such organization and another password; `not_signed_in`, `not_allowed`
 */
export async function proveAdministrator(
  context: PrepareContext,
  { admin_password: password }: { admin_password?: string | undefined },
): Promise<VerifiedPerson | undefined> {
  const { organization, roles } = context.caller;
  if (password !== undefined) return verifySignIn(context, { organization, handle: FOUNDER, password });
  if (roles.has("organization_admin")) return undefined;
  if (!roles.has("read"))
    throw fail("not_signed_in", { problem: "There is neither an administrator's credential nor admin_password" });
  throw fail("not_allowed", { needs: "an organization administrator" });
}
