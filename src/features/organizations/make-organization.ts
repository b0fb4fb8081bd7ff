import { randomInt } from "node:crypto";
import { appendEvents, type Author } from "../../core/event-log.ts";
import type { Tx } from "../../store/store.ts";
import { insertRoom } from "../rooms/queries.ts";
import { insertLog, insertOrganization } from "./queries.ts";

/** The room that every organization starts with. */
export const FIRST_ROOM = "lobby";

interface NewOrganization {
  readonly id: string;
  readonly name: string;
  /** Who makes it, for the log; a bare handle is one of the hub's own process. */
  readonly by: Author | string;
}

/**
 * Makes an organization with its log and its first room, in the caller's transaction.
 *
 * @returns false, and changes nothing, when it is there already.
 */
export async function makeOrganization(tx: Tx, { id, name, by }: NewOrganization): Promise<boolean> {
  if (!(await insertOrganization(tx, { id, name }))) return false;
  await insertLog(tx, id, makeEpoch());
  const room = await insertRoom(tx, {
    organization: id,
    name: FIRST_ROOM,
    createdBy: typeof by === "string" ? by : by.handle,
  });
  if (!room) throw new Error(`The new organization ${id} has a room already.`);
  appendEvents(tx, id, by, [
    { kind: "organization_created", detail: name },
    { kind: "room_created", detail: FIRST_ROOM },
  ]);
  return true;
}

/** A name for one history: 62 random bits. */
export function makeEpoch(): string {
  return Array.from({ length: 12 }, () => randomInt(36).toString(36)).join("");
}
