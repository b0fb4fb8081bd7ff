import type { Tx } from "../../store/store.ts";
import { pruneEvents } from "./pruning-queries.ts";
import {
  findLeastRead,
  type ForgettingRoom,
  listOldest,
  type OldEvent,
  removeFiles,
  removeMessages,
} from "./retention-queries.ts";

/** Who was there within this time (ms) is told of everything first… */
const LIVE_WITHIN = 86_400_000;
/** …but for no longer than the room keeps things anyway, and so many days at most. */
const MOST_DAYS_HELD = 30;
const DAY = 86_400_000;

/** How much was removed. */
export interface Pruned {
  readonly events: number;
  readonly messages: number;
  readonly files: number;
}

export const NOTHING_PRUNED: Pruned = { events: 0, messages: 0, files: 0 };

/**
 * Removes what is older than the room keeps things: events, messages and files, oldest first, `most` events at most. Tasks and their notes stay.
 * What somebody who is there has not been told of waits for it, within a bound.
 *
 * @returns how much that was, and whether there may be more to remove now.
 */
export async function pruneRoom(
  tx: Tx,
  room: Omit<ForgettingRoom, "name">,
  most: number,
): Promise<{ readonly pruned: Pruned; readonly more: boolean }> {
  const oldest = await listOldest(tx, room, room.pruned_to, most);
  const isDue = await dueIn(tx, room);
  const kept = oldest.findIndex((event) => !isDue(event));
  const due = kept < 0 ? oldest : oldest.slice(0, kept);
  const last = due.at(-1);
  if (!last) return { pruned: NOTHING_PRUNED, more: false };
  const messages = due.flatMap(({ kind, message }) => (kind === "message" && message !== null ? [message] : []));
  const files = due.flatMap(({ kind, file }) => (kind === "file_added" && file !== null ? [file] : []));
  const pruned = {
    events: due.length,
    messages: messages.length === 0 ? 0 : await removeMessages(tx, room, messages),
    files: files.length === 0 ? 0 : await removeFiles(tx, room, files),
  };
  await pruneEvents(tx, room, last.position);
  return { pruned, more: due.length === most };
}

async function dueIn(tx: Tx, room: Omit<ForgettingRoom, "name">): Promise<(event: OldEvent) => boolean> {
  const old = tx.now - room.retention_days * DAY;
  const tooOld = old - Math.min(room.retention_days, MOST_DAYS_HELD) * DAY;
  const read = await findLeastRead(tx, room, tx.now - LIVE_WITHIN);
  return ({ at, position }) => at < tooOld || (at < old && (read === undefined || position <= read));
}

/** For the log: whatever is left out is none. */
export function sentenceOf(room: string, { events, messages, files }: Pruned): string {
  return `${room}: ${events} events, ${messages} messages, ${files} files`;
}
