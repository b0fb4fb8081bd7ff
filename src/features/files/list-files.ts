import { z } from "zod";
import { fitPage, PAGES, pageSize } from "../../core/limits.ts";
import { defineRoomOperation } from "../../core/operation.ts";
import { file, toFile } from "./file-answer.ts";
import { fileId } from "./file-fields.ts";
import { listFileRows } from "./queries.ts";

export const listFiles = defineRoomOperation({
  name: "list_files",
  title: "List files",
  description: "The room's files, newest first, without their content.",
  kind: "query",
  needs: "read",
  input: z.object({ before_id: fileId.optional(), limit: pageSize(PAGES.files) }),
  output: z.object({
    room: z.string(),
    you_are: z.string(),
    count: z.int(),
    files: z.array(file),
    has_more: z.boolean(),
    next: z.object({ before_id: z.int() }).nullable(),
    download_path_template: z.string(),
  }),
  errors: [],
  untrusted: ["files[].name", "files[].mime"],
  example: {},

  async run({ tx, caller, room, answerBytes }, { before_id, limit }) {
    const rows = await listFileRows(tx, caller.organization, room.id, { before: before_id, limit: limit + 1 });
    const { page, hasMore } = fitPage(rows.map(toFile), limit, answerBytes);
    const last = page.at(-1);
    return {
      room: room.name,
      you_are: caller.handle,
      count: page.length,
      files: [...page],
      has_more: hasMore,
      next: hasMore && last ? { before_id: last.id } : null,
      download_path_template: `/v1/files/{id}?room=${room.name}`,
    };
  },
});
