import { pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);

/** `pbkdf2_sha256$<rounds>$<salt>$<digest>`, as Ctalk keeps passwords. */
const FORMER = /^pbkdf2_sha256\$(\d{1,7})\$([^$]{1,128})\$([^$]{1,128})$/;
/** A stored value cannot ask for more. */
const MOST_ROUNDS = 2_000_000;

/** Whether a password is kept as an imported one is; then it is hashed anew at its person's next sign-in. */
export function isFormerHash(stored: string): boolean {
  return FORMER.test(stored);
}

/** Whether it is the password that was imported. Salts were written in several ways: as hex, as base64, or as the text itself. */
export async function isFormerPassword(password: string, stored: string): Promise<boolean> {
  const [, rounds = "", salt = "", digest = ""] = FORMER.exec(stored) ?? [];
  const wanted = bytesIn(digest);
  if (Number(rounds) < 1 || Number(rounds) > MOST_ROUNDS || wanted.length !== 32) return false;
  for (const bytes of saltsIn(salt)) {
    const got = await derive(password, bytes, Number(rounds), wanted.length, "sha256");
    if (timingSafeEqual(got, wanted)) return true;
  }
  return false;
}

function saltsIn(text: string): Buffer[] {
  const isHex = /^([0-9a-f]{2})+$/i.test(text);
  const isBase64 = /^[\w+/-]+={0,2}$/.test(text);
  return [
    ...(isHex ? [Buffer.from(text, "hex")] : []),
    ...(isBase64 && !isHex ? [Buffer.from(text, "base64")] : []),
    Buffer.from(text),
  ];
}

function bytesIn(text: string): Buffer {
  return Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
}
