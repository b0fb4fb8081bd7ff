import { useQuery } from "@tanstack/react-query";
import { type AnswerOf, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { readPages } from "../ui/read-pages.ts";

export type FileRow = AnswerOf<"list_files">["files"][number];

/** The files of a room, the newest first. */
export function useFiles(room: string) {
  const { call } = useHub();
  return useQuery({
    queryKey: keys.files(room),
    queryFn: () =>
      readPages<FileRow, number>(async (before_id) => {
        const { files: items, next } = await call("list_files", { room, before_id, limit: 200 });
        return { items, next: next?.before_id ?? null };
      }),
  });
}
