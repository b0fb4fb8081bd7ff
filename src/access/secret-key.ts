import { hkdfSync, randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the hub signs and seals with: cookies, request states, digests of keyed calls. Each purpose has a key of its own. */
export interface SecretKey {
  /** 32 bytes for one purpose; the same for the same secret. */
  keyFor(purpose: string): Buffer;
}

const SECRET_BYTES = 32;

/** The secret that the operator gave. */
export function secretKeyFrom(secret: string): SecretKey {
  return { keyFor: (purpose) => Buffer.from(hkdfSync("sha256", secret, "crewroom", purpose, SECRET_BYTES)) };
}

/** The secret that lies beside a SQLite file; made there, for its owner alone, at the first start. */
export function secretKeyBeside(database: string): SecretKey {
  return secretKeyFrom(readOrMake(join(dirname(database), "crewroom.key")));
}

function readOrMake(file: string): string {
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  mkdirSync(dirname(file), { recursive: true });
  const made = `${file}.${process.pid}`;
  writeFileSync(made, `${randomBytes(SECRET_BYTES).toString("base64")}\n`, { mode: 0o600 });
  try {
    // Fails when another process was first; both then read the same.
    linkSync(made, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(made);
  }
  return readFileSync(file, "utf8").trim();
}
