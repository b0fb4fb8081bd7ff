import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { SecretKey } from "./secret-key.ts";

/** Keeps secrets that must be used later, not only compared: addresses that are one, keys that something is signed with. */
export interface Seal {
  /** `place` says what it is for, such as `hook/<id>`; only there it opens again. */
  close(secret: string, place: string): string;
  /** @throws SealBroken when it was sealed for another place, with another key, or was changed. */
  open(sealed: string, place: string): string;
}

/** What was sealed cannot be opened: most often CREWROOM_SECRET_KEY is another one than before. */
export class SealBroken extends Error {
  constructor(cause?: unknown) {
    super("it was sealed with another CREWROOM_SECRET_KEY", { cause });
  }
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM, a nonce for each. `key` is asked for at the first use: where it lies in a file, that makes the file. */
export function openSeal(key: () => SecretKey): Seal {
  let known: Buffer | undefined;
  const keyForSeals = () => (known ??= key().keyFor("seal"));
  return {
    close(secret, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keyForSeals(), nonce).setAAD(Buffer.from(place));
      const hidden = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString("base64url");
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, "base64url");
      try {
        const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
        const cipher = createDecipheriv(CIPHER, keyForSeals(), bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        cipher.setAAD(Buffer.from(place)).setAuthTag(tag);
        return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + cipher.final("utf8");
      } catch (cause) {
        throw new SealBroken(cause);
      }
    },
  };
}
