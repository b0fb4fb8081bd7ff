import { verifySignIn } from "../../access/sign-in.ts";
import { fail } from "../../core/errors.ts";
import type { Context, PrepareContext } from "../../core/operation.ts";
import { endFormerPassword } from "./former-password.ts";
import { refuseWeakPassword } from "./password-rule.ts";
import { setPassword } from "./person-queries.ts";
import { findProfile } from "./profile-queries.ts";

/** What a person types to have another password. */
interface Replacement {
  readonly old_password: string;
  readonly new_password: string;
}

interface Hashes {
  readonly replaces: string;
  readonly passwordHash: string;
}

/**
 * Checks the caller's present password and hashes the next one, for `prepare`.
 *
 * @throws HubError `bad_input`, `wrong_sign_in`, `too_many_attempts`, `too_many_calls`
 */
export async function prepareReplacement(
  context: PrepareContext,
  { old_password, new_password }: Replacement,
): Promise<Hashes> {
  const { caller, passwords, read } = context;
  const { organization, handle } = caller;
  const person = await read((tx) => findProfile(tx, organization, handle));
  refuseWeakPassword(new_password, person?.role ?? "member", "new_password");
  if (new_password === old_password) throw fail("bad_input", { field: "new_password", problem: "is the old one" });
  // It has the person's own credential, so its failures are not those of strangers.
  const device = `credential ${caller.credential}`;
  const { passwordHash } = await verifySignIn(context, { organization, handle, password: old_password, device });
  return { replaces: passwordHash, passwordHash: await passwords.hash(new_password) };
}

/**
 * Sets the caller's next password and ends its other sessions; gives how many.
 *
 * @param exposed  whether it came through a tool.
 * @throws HubError `wrong_sign_in` when the present one is another by now.
 */
export async function replacePassword(context: Context, hashes: Hashes, exposed: boolean): Promise<number> {
  const { tx, caller, emit } = context;
  const { organization, handle } = caller;
  if (!(await setPassword(tx, { organization, handle, ...hashes, exposed }))) throw fail("wrong_sign_in");
  emit({ kind: "password_changed", detail: handle, concerns: [handle] });
  return endFormerPassword(context, handle);
}
