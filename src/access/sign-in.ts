import { ulid } from "ulid";
import { fail } from "../core/errors.ts";
import { HUB } from "../core/event-log.ts";
import { LIMITS } from "../core/limits.ts";
import type { Context, PrepareContext } from "../core/operation.ts";
import { dropEndedSessions, endOldestSessions, findSignIn, insertSession, replaceHash } from "./person-queries.ts";
import { isFormerHash } from "./former-passwords.ts";
import { hashToken, makeSessionSecret, makeToken } from "./tokens.ts";

const DAY = 86_400_000;

/** Who wants to sign in. */
export interface SignIn {
  readonly organization: string;
  readonly handle: string;
  /** As it was sent: nothing is trimmed or folded. */
  readonly password: string;
  /** The browser, where its cookie proves that this person signed in from it before. */
  readonly device?: string | undefined;
}

/** A person whose password was right a moment ago. */
export interface VerifiedPerson {
  readonly organization: string;
  readonly handle: string;
  /** What the password was compared with; when another one is there by now, nothing more is given for it. */
  readonly passwordHash: string;
  /** The same password as it is kept now, where it was imported and is kept in another way. */
  readonly betterHash?: string;
}

/**
 * Checks a password, for `prepare`. What is wrong is not said, neither in words nor by the time it takes. Failures from the
 * person's own browser, or from an address it used in the last 30 days, are counted apart from those of strangers.
 *
 * @throws HubError `wrong_sign_in`, `too_many_attempts`, `too_many_calls`
 */
export async function verifySignIn(
  { caller: { address }, passwords, read }: Pick<PrepareContext, "caller" | "passwords" | "read">,
  { organization, handle, password, device }: SignIn,
): Promise<VerifiedPerson> {
  const person = await read((tx) => findSignIn(tx, { organization, handle, address }));
  const byAddress = person?.knows_address ? `from ${address}` : undefined;
  const known = device === undefined ? byAddress : `with ${device}`;
  const account = `${organization}/${handle}`;
  const passed = await passwords.check(password, person?.password_hash, { account, address, known });
  if (!passed || !person?.password_hash) throw fail("wrong_sign_in");
  const found = { organization, handle, passwordHash: person.password_hash };
  // Its owner is there with it: from now on it is kept as all others are.
  return isFormerHash(found.passwordHash) ? { ...found, betterHash: await passwords.hash(password) } : found;
}

export interface NewSignIn extends VerifiedPerson {
  /** `usr` gives a token, `web` the secret of a browser's cookie. */
  readonly kind: "usr" | "web";
  /** Tells it from others in the person's list. */
  readonly label: string;
  readonly address: string;
  /** Whether an administrator administers with it. */
  readonly admin: boolean;
}

/** A session that a person was given. `expiresAt` is ms since 1970, UTC. */
export interface OpenedSession {
  /** Shown this once. */
  readonly secret: string;
  readonly id: string;
  readonly expiresAt: number;
}

/**
 * Signs a person in, in the rule's transaction, and tells of it. Where there are too many sessions, the oldest ends.
 *
 * @throws HubError `wrong_sign_in` when the person was deactivated, or its password changed, since it was checked.
 */
export async function openSession(
  { tx, emit }: Pick<Context, "tx" | "emit">,
  { organization, handle, passwordHash, betterHash, kind, label, address, admin }: NewSignIn,
): Promise<OpenedSession> {
  const secret = kind === "usr" ? makeToken("usr") : makeSessionSecret();
  const id = ulid(tx.now).toLowerCase();
  const expiresAt = tx.now + LIMITS.sessionDays * DAY;
  const session = { organization, handle, passwordHash, id, kind, label, admin, address, expiresAt };
  if (!(await insertSession(tx, { ...session, hash: hashToken(secret) }))) throw fail("wrong_sign_in");
  if (betterHash !== undefined) await replaceHash(tx, { organization, handle, passwordHash, betterHash });
  emit({ kind: "signed_in", actor: handle, detail: `${handle} ${id} ${label}`, concerns: [handle] });
  for (const ended of await endOldestSessions(tx, organization, handle, HUB))
    emit({ kind: "signed_out", actor: HUB, detail: `${handle} ${ended}: too many`, concerns: [handle] });
  await dropEndedSessions(tx, organization, handle);
  return { secret, id, expiresAt };
}
