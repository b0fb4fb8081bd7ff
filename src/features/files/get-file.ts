import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { readPart } from "./content.ts";
import { file, toFile } from "./file-answer.ts";
import { fileId } from "./file-fields.ts";
import { findFile } from "./queries.ts";

export const getFile = defineRoomOperation({
  name: "get_file",
  title: "Get a file",
  description: "A file with its content up to 16 KB; above that the address to get it from, by curl with your token.",
  kind: "query",
  needs: "read",
  input: z.object({
    file_id: fileId,
    as_text: z.boolean().optional().describe("UTF-8 as text instead of base64"),
  }),
  output: file.extend({
    room: z.string(),
    content_base64: z.string().nullable(),
    text: z.string().optional(),
    download: z.string().optional(),
  }),
  errors: ["file_not_found", "file_damaged"],
  untrusted: ["name", "mime", "content_base64", "text"],
  example: { file_id: 1 },

  async run({ tx, caller, room, settings }, { file_id, as_text }) {
    const { organization } = caller;
    const row = await findFile(tx, organization, room.id, file_id);
    if (!row) throw fail("file_not_found", { file: file_id, room: room.name });
    const told = { ...toFile(row), room: room.name };
    if (row.size > LIMITS.fileInlineBytes)
      return { ...told, content_base64: null, download: downloadUrl(settings.url, row.number, room.name) };
    // So small a file is one part.
    const bytes = await readPart(tx, { organization, room: room.id, file: file_id, part: 0 });
    const text = as_text ? utf8In(bytes) : undefined;
    if (text !== undefined) return { ...told, content_base64: null, text };
    return { ...told, content_base64: Buffer.from(bytes).toString("base64") };
  },
});

/** The text that these bytes are, byte for byte; undefined when they are none. */
function utf8In(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function downloadUrl(url: string, number: number, room: string): string {
  return `${url}/v1/files/${number}?room=${room}`;
}
