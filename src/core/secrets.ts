import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CHECKSUM_LENGTH = 6;

/** The form of every secret of ours: for secret scanners, and for finding one in a text. */
export const TOKEN_FORM = /crw_(agt|usr|oat|ort|inv|hok)_[0-9A-Za-z]{36}/g;
const WHOLE_TOKEN = new RegExp(`^${TOKEN_FORM.source}$`);

/** Whether a text has the form of a token and its checksum is right. Asks no database. */
export function isWellFormedToken(token: string): boolean {
  if (token.length > 64 || !WHOLE_TOKEN.test(token)) return false;
  return checksumOf(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** The form of the tokens of ChatRoomMCP and Ctalk, which go on working once they were imported. */
const FORMER_TOKEN = /^(cr|ctalk_auth)_[\w-]{43}$/;

/** Whether a text could be a token of a system that was imported. It has no checksum, so only the database knows. */
export function isFormerToken(token: string): boolean {
  return token.length <= 64 && FORMER_TOKEN.test(token);
}

/** The tokens that stand in a text. */
export function tokensIn(text: string): string[] {
  return text.includes("crw_") ? (text.match(TOKEN_FORM) ?? []).filter(isWellFormedToken) : [];
}

/** The text with every token in it covered, so that a secret sent by mistake is neither kept nor handed on. */
export function maskTokens(text: string): string {
  if (!text.includes("crw_")) return text;
  return text.replace(TOKEN_FORM, (token, kind: string) => (isWellFormedToken(token) ? `crw_${kind}_[masked]` : token));
}

/** The six characters that a token ends with: CRC-32 of what stands before them, in base 62. */
export function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
