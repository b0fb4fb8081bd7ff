import { hash, randomInt } from "node:crypto";
import { checksumOf } from "../core/secrets.ts";

/** Kinds of secrets: agent, person, OAuth access and refresh, invitation, inbound webhook. */
export type TokenKind = "agt" | "usr" | "oat" | "ort" | "inv" | "hok";

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
