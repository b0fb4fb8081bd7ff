import type { Tx } from "../../store/store.ts";
import { addText, dropTexts, type Indexed, indexText, type ROOM_KINDS } from "./queries.ts";

/** A text of a room. `id`: a message's, task's or file's number; a note's is `<task>.<note>`. */
export interface RoomTextKey {
  readonly organization: string;
  readonly kind: (typeof ROOM_KINDS)[number];
  readonly room: number;
  readonly id: string;
}

/** Makes a new text of a room findable for those who may enter it, in the transaction that writes it. */
export function addRoomText(tx: Tx, key: RoomTextKey, text: string): void {
  addText(tx, key, ofRoom(key.room, text));
}

/** The same for a text that was changed. */
export function changeRoomText(tx: Tx, key: RoomTextKey, text: string): void {
  indexText(tx, key, ofRoom(key.room, text));
}

/** A text as it is kept for a room. */
export function ofRoom(room: number, text: string): Indexed {
  return { finders: [`#${room}`, "rooms"], text };
}

/** After it nobody finds these texts. */
export function forgetRoomTexts(tx: Tx, keys: readonly RoomTextKey[]): void {
  dropTexts(tx, keys);
}

/** What a task is found by; `labels` is a JSON list, as it is kept. */
export function taskText({ title, body, labels }: { title: string; body: string; labels: string }): string {
  return `${title}\n${labels}\n${body}`;
}
