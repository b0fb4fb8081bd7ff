import { hash } from "node:crypto";
import { fail } from "../../core/errors.ts";
import { tokensIn } from "../../core/secrets.ts";
import type { Tx } from "../../store/store.ts";
import { findPart, insertPart, type PartKey, type PartRow } from "./queries.ts";

/** Bytes are kept, checked and sent in parts of this size: so much of a file is in memory for each reader. */
export const PART_BYTES = 256 * 1024;

export function sha256Of(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/**
 * What a base64 text stands for, read strictly: it must be what these bytes are written as.
 *
 * @throws HubError `bad_input`, `too_large` before it is decoded.
 */
export function decodeBase64(field: string, text: string, most: number): Uint8Array {
  if (Math.floor(text.length / 4) * 3 - 2 > most) throw tooLarge(most);
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text)
    throw fail("bad_input", { field, problem: "must be base64 (RFC 4648, 4) with its padding and nothing else" });
  return bytes;
}

/**
 * A secret sent by mistake is neither kept nor handed on; in a text it is covered, but bytes are kept as they are or not at all.
 *
 * @throws HubError `bad_input`
 */
export function refuseTokens(bytes: Uint8Array): void {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!content.includes("crw_") || tokensIn(content.toString("latin1")).length === 0) return;
  throw fail("bad_input", {
    field: "",
    problem: "has a file with a token of this hub in it, which whoever reads the file could use; take it out",
  });
}

export function tooLarge(most: number) {
  return fail("too_large", { what: "The file", most, unit: "bytes" });
}

/** Bytes in parts, each with its digest, and the digest of the whole. */
export function digest(bytes: Uint8Array): { sha256: string; parts: readonly PartRow[] } {
  const parts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, part) => {
    const own = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    return { sha256: sha256Of(own), bytes: own };
  });
  const [first] = parts;
  return { sha256: first && parts.length === 1 ? first.sha256 : sha256Of(bytes), parts };
}

export async function insertParts(tx: Tx, file: Omit<PartKey, "part">, parts: readonly PartRow[]): Promise<void> {
  for (const [part, row] of parts.entries()) await insertPart(tx, { ...file, part }, row);
}

/**
 * A part of a file's bytes, if they are still those that were put.
 *
 * @throws HubError `file_damaged`, which goes into the log with its cause.
 */
export async function readPart(tx: Tx, key: PartKey): Promise<Uint8Array> {
  const row = await findPart(tx, key);
  if (row && sha256Of(row.bytes) === row.sha256) return row.bytes;
  const { organization, room, file, part } = key;
  const cause = new Error(`${organization}, room ${room}, file ${file}, part ${part}: ${row ? "changed" : "missing"}.`);
  throw Object.assign(fail("file_damaged", { file }), { cause });
}
