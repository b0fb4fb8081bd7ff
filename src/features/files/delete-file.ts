import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { file, toFile } from "./file-answer.ts";
import { fileId } from "./file-fields.ts";
import { findFile, removeFile } from "./queries.ts";

export const deleteFile = defineRoomOperation({
  name: "delete_file",
  title: "Delete a file",
  description: "Removes your own file (an admin: any) for ever, and takes it off what it is attached to.",
  kind: "command",
  needs: "write",
  input: z.object({ file_id: fileId }),
  output: z.object({ ok: z.literal(true), deleted: file, room: z.string() }),
  errors: ["file_not_found", "not_yours"],
  untrusted: ["deleted.name", "deleted.mime"],
  example: { file_id: 1 },

  async run({ tx, caller, room, emit }, { file_id }) {
    const removed = await removeFile(tx, caller, room.id, file_id);
    if (!removed) {
      const standing = await findFile(tx, caller.organization, room.id, file_id);
      throw standing
        ? fail("not_yours", { what: `File f${file_id}` })
        : fail("file_not_found", { file: file_id, room: room.name });
    }
    const { name, size } = removed;
    emit({ kind: "file_deleted", room: room.id, file: file_id, detail: `${name} (${size} B)` });
    return { ok: true as const, deleted: toFile(removed), room: room.name };
  },
});
