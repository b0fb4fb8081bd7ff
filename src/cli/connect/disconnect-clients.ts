import { rmdirSync } from "node:fs";
import { type ClientName, CLIENT_NAMES } from "../../agent/adapters/adapters.ts";
import { openFiles } from "./files.ts";
import type { Places } from "./places.ts";
import { readRecord, slotOf, undoAll, writeRecord } from "./record.ts";

/** What was taken out, and what was left as somebody had changed it. */
export interface Disconnected {
  readonly changed: readonly string[];
  readonly left: readonly string[];
}

/**
 * Takes out what `connectClients` put in. Our own folder goes with the last client.
 *
 * @param clients  those alone; all of them unless given.
 * @throws EditProblem; after it, nothing is changed.
 */
export function disconnectClients(places: Places, clients: readonly ClientName[] = CLIENT_NAMES): Disconnected {
  const files = openFiles();
  const record = readRecord(files, places.record);
  const slots = clients.map((client) => slotOf(client, places));
  const left = slots.flatMap((slot) => undoAll(files, record[slot] ?? []));
  const rest = Object.fromEntries(Object.entries(record).filter(([slot]) => !slots.includes(slot)));
  writeRecord(files, places.record, rest);
  const isMine = (slot: string) => slot === slotOf("claude", places) || places.project === undefined;
  if (!Object.keys(rest).some(isMine)) files.put(places.credentials, undefined);
  if (Object.keys(rest).length === 0)
    for (const program of [places.hook, places.watch, places.bridge]) files.put(program, undefined);
  const changed = files.commit();
  removeIfEmpty(places.own);
  return { changed, left: [...new Set(left.map(({ file }) => file))] };
}

function removeIfEmpty(folder: string) {
  try {
    rmdirSync(folder);
  } catch {
    // Something of somebody's is in it, or it was not there.
  }
}
