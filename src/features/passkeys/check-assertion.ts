import { parseAssertion, type Passkey, readSignature, siteOf } from "../../access/passkeys.ts";
import { fail } from "../../core/errors.ts";
import type { PrepareContext } from "../../core/operation.ts";
import { findPasskey } from "./queries.ts";

/** What a person signed, checked; the use has yet to be noted with `markPasskeyUsed`. */
export interface Signed {
  readonly passkey: Passkey;
  readonly newCounter: number;
  /** All that is needed to check it again, as it is kept. */
  readonly proof: string;
}

/**
 * Checks, for `prepare`, that a passkey of the caller's signed `hash` on this hub's page and verified its person.
 *
 * @param assertion  as JSON, what the browser gave.
 * @throws HubError `passkey_not_fit`
 */
export async function checkAssertion(
  { caller, settings, read }: Pick<PrepareContext, "caller" | "settings" | "read">,
  { hash, assertion }: { readonly hash: string; readonly assertion: string },
): Promise<Signed> {
  const site = siteOf(settings.url);
  const given = parseAssertion(assertion);
  if (!site || !given) throw fail("passkey_not_fit");
  const passkey = await read((tx) => findPasskey(tx, caller, given.id));
  const signature = { site, assertion: given };
  const newCounter = passkey && (await readSignature(signature, hash, passkey));
  if (!passkey || newCounter === undefined) throw fail("passkey_not_fit");
  return { passkey, newCounter, proof: JSON.stringify(signature) };
}
