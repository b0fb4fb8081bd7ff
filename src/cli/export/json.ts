import { safeJson } from "../output.ts";
import type { Exported, ExportedRoom } from "./read.ts";

/** The parts of one JSON document, with the field names of REST, an item on a line of its own. */
export async function* writeJson(exported: Exported, at: string, whole: boolean): AsyncGenerator<string> {
  yield `{"exported_at":${JSON.stringify(at)},"organization":${safeJson(exported.organization)}`;
  if (whole) yield* list("members", exported.members());
  yield `,\n"rooms":[`;
  let first = true;
  for await (const room of exported.rooms()) {
    yield `${first ? "" : ","}\n`;
    yield* writeRoom(room);
    first = false;
  }
  yield "]";
  if (whole) yield* list("answers", exported.answers());
  yield "}\n";
}

async function* writeRoom(room: ExportedRoom): AsyncGenerator<string> {
  yield safeJson(room.info).slice(0, -1);
  yield* list("messages", room.messages());
  yield* list("tasks", room.tasks());
  yield* list("files", room.files());
  yield "}";
}

async function* list(name: string, items: AsyncIterable<object>): AsyncGenerator<string> {
  yield `,\n"${name}":[`;
  let first = true;
  for await (const item of items) {
    yield `${first ? "" : ","}\n${safeJson(item)}`;
    first = false;
  }
  yield "]";
}
