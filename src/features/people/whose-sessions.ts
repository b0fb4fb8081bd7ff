import { fail } from "../../core/errors.ts";
import type { Context } from "../../core/operation.ts";
import { findProfile } from "./profile-queries.ts";

/**
 * The person whose sign-ins a caller means: its own, or, for administrators, those of whom it names.
 *
 * @throws HubError `not_allowed`, `person_not_found`
 */
export async function whoseSessions({ tx, caller }: Context, named = caller.handle): Promise<string> {
  if (named === caller.handle) return named;
  if (!caller.roles.has("organization_admin"))
    throw fail("not_allowed", { needs: "an organization administrator, to see to others' sign-ins" });
  if (!(await findProfile(tx, caller.organization, named))) throw fail("person_not_found", { user_id: named });
  return named;
}
