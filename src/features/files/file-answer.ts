import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { FileRow } from "./queries.ts";

/** A file as answers carry it, without its bytes. `size` is in bytes, `mime` what its author said it is. */
export const file = z.object({
  id: z.int(),
  name: z.string(),
  sha256: z.string(),
  size: z.int(),
  mime: z.string(),
  author: z.string(),
  ts: isoMoment,
  expires_at: isoMoment.nullable(),
});

export function toFile(row: FileRow): z.input<typeof file> {
  const { number: id, name, sha256, size, mime, author, at, expires_at } = row;
  return { id, name, sha256, size, mime, author, ts: toIso(at), expires_at: toIso(expires_at) };
}
