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

/** Whether it is the password that was imported. Salt and digest are written as base64. */
export async function isFormerPassword(password: string, stored: string): Promise<boolean> {
  const [, rounds = "", salt = "", digest = ""] = FORMER.exec(stored) ?? [];
  const wanted = Buffer.from(digest, "base64");
  if (Number(rounds) < 1 || Number(rounds) > MOST_ROUNDS || wanted.length !== 32) return false;
  const got = await derive(password, Buffer.from(salt, "base64"), Number(rounds), wanted.length, "sha256");
  return timingSafeEqual(got, wanted);
}
