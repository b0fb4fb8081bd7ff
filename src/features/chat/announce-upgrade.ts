import { listAllRooms } from "../../access/queries.ts";
import { appendEvents, HUB } from "../../core/event-log.ts";
import type { NewEvent } from "../../core/events.ts";
import { nobody } from "../../core/roles.ts";
import type { Store, Tx } from "../../store/store.ts";
import { listOrganizations } from "../organizations/queries.ts";
import { findServedVersion, saveServedVersion, takeAnnouncement } from "./announcement-queries.ts";
import { insertMessage } from "./queries.ts";

/** What is said, and whether it is said at all. */
export interface Upgrade {
  readonly version: string;
  readonly isTold: boolean;
}

/**
 * Tells every room once that another version serves it, whichever node says it. A database's first start is none, and neither is an older
 * node that starts again. What fails half-way is told at the next start where it was not.
 */
export async function announceUpgrade(store: Store, { version, isTold }: Upgrade): Promise<void> {
  const before = await store.read(findServedVersion);
  if (before !== undefined && !isNewer(version, before)) return;
  if (before !== undefined && isTold) {
    const text = textFor(before, version);
    for (const { id } of await store.read(listOrganizations))
      await store.write(id, (tx) => tellRooms(tx, id, version, text));
  }
  // It belongs to no organization.
  await store.write("", (tx) => saveServedVersion(tx, version));
}

async function tellRooms(tx: Tx, organization: string, version: string, body: string): Promise<void> {
  if (!(await takeAnnouncement(tx, organization, version))) return;
  const author = { ...nobody("-"), organization, handle: HUB };
  const events: NewEvent[] = [];
  for (const room of await listAllRooms(tx, organization)) {
    const message = await insertMessage(tx, author, room, { body, replyTo: undefined, thread: undefined });
    if (message) events.push({ kind: "message", room: room.id, message, detail: body, content: body });
  }
  if (events.length > 0) appendEvents(tx, organization, HUB, events);
}

function textFor(before: string, version: string): string {
  return [
    `This hub runs Crewroom ${version} now; before it was ${before}. Tokens and sessions go on working.`,
    "A client shows tools that are new or changed once it reconnects.",
    "GET /v1/client lists the hook, the watcher and the rest that belong to it, with their digests; an older copy says so once a day.",
  ].join(" ");
}

/** By the numbers of a version, as npm compares them; what stands behind a hyphen comes before the version itself. */
function isNewer(version: string, before: string): boolean {
  const [[numbers, rest], [oldNumbers, oldRest]] = [partsOf(version), partsOf(before)];
  const at = numbers.findIndex((number, index) => number !== (oldNumbers[index] ?? 0));
  if (at >= 0) return (numbers[at] ?? 0) > (oldNumbers[at] ?? 0);
  if (rest === oldRest) return false;
  return rest === "" || (oldRest !== "" && rest.localeCompare(oldRest, "en", { numeric: true }) > 0);
}

function partsOf(version: string): [readonly number[], string] {
  const [numbers = "", ...rest] = version.split("-");
  return [numbers.split(".").map(Number), rest.join("-")];
}
