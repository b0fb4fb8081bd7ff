import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Kinds of secrets: agent, person, OAuth access and refresh, invitation, inbound webhook. */
export type TokenKind = "agt" | "usr" | "oat" | "ort" | "inv" | "hok";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** The form of every secret of ours: for secret scanners, and for finding one in a message. */
export const TOKEN_FORM = /crw_(agt|usr|oat|ort|inv|hok)_[0-9A-Za-z]{36}/g;
const WHOLE_TOKEN = new RegExp(`^${TOKEN_FORM.source}$`);

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

/** Whether a text has the form of a token and its checksum is right. Asks no database. */
export function isWellFormedToken(token: string): boolean {
  if (token.length > 64 || !WHOLE_TOKEN.test(token)) return false;
  return checksumOf(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** What is kept of a secret: SHA-256, hex. The secret has enough random bits that no slow hash is needed. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Covers every token in a text, so that a secret posted by mistake is not handed on. */
export function maskTokens(text: string): { masked: string; found: string[] } {
  const found: string[] = [];
  const masked = text.replace(TOKEN_FORM, (token, kind: string) => {
    if (!isWellFormedToken(token)) return token;
    found.push(token);
    return `crw_${kind}_[masked]`;
  });
  return { masked, found };
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
