import { type Connection, reach, refusalOf } from "../../src/client/hub-client.ts";

/** A file of a room, as much as a message says of it. */
export interface Attached {
  readonly id: number;
  readonly name: string;
}

/** Longest name (characters) that the hub takes. */
const LONGEST_NAME = 255;

/**
 * Puts a file into a room, as its bytes.
 *
 * @throws HubRefusal, HubUnreachable
 */
export async function upload(connection: Connection, room: string, file: File): Promise<Attached> {
  const name = file.name.slice(-LONGEST_NAME) || "file";
  const query = new URLSearchParams({ name, room });
  const response = await reach(connection, `/v1/files?${query.toString()}`, {
    method: "POST",
    headers: { "content-type": file.type || "application/octet-stream" },
    body: file,
  });
  if (!response.ok) throw await refusalOf(connection, response);
  const { file_id } = (await response.json()) as { file_id: number }; // the operation's own answer
  return { id: file_id, name };
}

/** Where a file's bytes are. They come as something to save, whatever they are. */
export const pathOfFile = (room: string, id: number): string =>
  `/v1/files/${id}?${new URLSearchParams({ room }).toString()}`;
