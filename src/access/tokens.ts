import { hash, randomBytes, randomInt } from "node:crypto";
import { checksumOf } from "../core/secrets.ts";

/** Kinds of secrets: agent, person, OAuth access and refresh, invitation, inbound webhook. */
export type TokenKind = "agt" | "usr" | "oat" | "ort" | "inv" | "hok";

/** What somebody can sign in with: an agent's token, a person's from `login`, a browser's session, a grant of the sign-in by browser; `hok` at its own address alone. */
export type CredentialKind = "agt" | "usr" | "web" | "oat" | "hok";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 30;

/**
 * Makes a secret: `crw_<kind>_<30 base62><6-character checksum>`, 178 random bits. Shown once; only its hash is kept.
 *
 * @source The form follows GitHub's tokens (2021): a prefix and a CRC-32, so that a scanner needs no look-up.
 */
export function makeToken(kind: TokenKind): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62[randomInt(62)]).join("");
  const start = `crw_${kind}_${secret}`;
  return start + checksumOf(start);
}

/** What is kept of a secret: SHA-256, hex. The secret has enough random bits that no slow hash is needed. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** The form of what a browser's cookie holds: 43 base64url characters, unlike any token. */
export const SESSION_SECRET = /^[\w-]{43}$/;

/** Makes the secret of a browser's session: 256 random bits. Only its hash is kept. */
export function makeSessionSecret(): string {
  return randomBytes(32).toString("base64url");
}
