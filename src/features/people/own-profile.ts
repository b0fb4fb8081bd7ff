import { fail } from "../../core/errors.ts";
import type { Context } from "../../core/operation.ts";
import { toProfile } from "./profile-answer.ts";
import { findProfile, type ProfileChange, updateProfile } from "./profile-queries.ts";

/** Sets what a person may set of itself, tells of it, and gives the profile as it is now. */
export async function ownProfile({ tx, caller, emit }: Context, change: Omit<ProfileChange, "profileNotes">) {
  const { organization, handle } = caller;
  await updateProfile(tx, organization, handle, change);
  const row = await findProfile(tx, organization, handle);
  // Deactivated after the call was let in.
  if (!row) throw fail("person_not_found", { user_id: handle });
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  emit({ kind: "profile_changed", detail: fields.map(([field]) => field).join(", "), content: JSON.stringify(change) });
  return toProfile(row, caller);
}
