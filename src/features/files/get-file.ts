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
  input: z.object({ file_id: fileId }),
  output: file.extend({ room: z.string(), content_base64: z.string().nullable(), download: z.string().optional() }),
  errors: ["file_not_found", "file_damaged"],
  untrusted: ["name", "mime", "content_base64"],
  example: { file_id: 1 },

  async run({ tx, caller, room, settings }, { file_id }) {
    const { organization } = caller;
    const row = await findFile(tx, organization, room.id, file_id);
    if (!row) throw fail("file_not_found", { file: file_id, room: room.name });
    const told = { ...toFile(row), room: room.name };
    if (row.size > LIMITS.fileInlineBytes)
      return { ...told, content_base64: null, download: downloadUrl(settings.url, row.number, room.name) };
    // So small a file is one part.
    const bytes = await readPart(tx, { organization, room: room.id, file: file_id, part: 0 });
    return { ...told, content_base64: Buffer.from(bytes).toString("base64") };
  },
});

function downloadUrl(url: string, number: number, room: string): string {
  return `${url}/v1/files/${number}?room=${room}`;
}
