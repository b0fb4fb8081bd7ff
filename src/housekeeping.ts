import { dropEndedGrants, dropOldRecords } from "./access/oauth/queries.ts";
import { dropSilentSessions, findEndOfPresence } from "./access/session-queries.ts";
import { appendEvents, HUB } from "./core/event-log.ts";
import type { Core } from "./core/execute.ts";
import { forgetOldAnswers } from "./core/idempotency.ts";
import type { Log } from "./core/log.ts";
import { endLeases, listOrganizationsWithEndedLeases } from "./features/board/leases.ts";
import { announceUpgrade } from "./features/chat/announce-upgrade.ts";
import { dropLeftPlaces, findEndOfPlaces } from "./features/delivery/place-queries.ts";
import { dropExpired, listOrganizationsWithExpired } from "./features/files/queries.ts";
import { listOrganizations } from "./features/organizations/queries.ts";
import { expireQuestions } from "./features/questions/expiry.ts";
import { listOrganizationsWithOverdue } from "./features/questions/move-queries.ts";
import { listClosedRooms, removePage } from "./features/rooms/removal-queries.ts";
import { pruneRoom, sentenceOf } from "./features/rooms/prune.ts";
import { findForgettingRoom, type ForgettingRoom, listForgettingRooms } from "./features/rooms/retention-queries.ts";
import { indexBacklog, listBacklog } from "./features/search/backlog-queries.ts";
import { forgetOldWakes } from "./features/wakes/queries.ts";
import type { Store, Tx } from "./store/store.ts";

/** How often (ms) ended leases are told of. A task is free from the instant its lease ends, whatever this does. */
const LEASES_EVERY = 5_000;
/** The same with questions: nothing can be done to one from its deadline on. */
const QUESTIONS_EVERY = 5_000;
/** How often (ms) the bytes of expired files are freed; they are out of reach from their own moment on. */
const FILES_EVERY = 60_000;
/** So many at once, for their bytes make it slow. */
const FILES_PAGE = 20;
const ANSWERS_EVERY = 3_600_000;
const SESSIONS_EVERY = 3_600_000;
const GRANTS_EVERY = 3_600_000;
const ROOMS_EVERY = 10_000;
const WAKES_EVERY = 3_600_000;
/** How long (ms) a client's sign-in is listed after its end. */
const ENDED_GRANTS_KEPT = 30 * 86_400_000;
/** Rows that one transaction looks at, so that nobody waits long for it. */
const PAGE = 500;

interface Chores {
  readonly announceUpgrades: boolean;
  /** How often (s) rooms are looked through for what they keep no longer; 0 for never. */
  readonly pruneInterval: number;
}

/** What the hub does by itself, without being asked. */
export function startHousekeeping(core: Core, log: Log, { announceUpgrades, pruneInterval }: Chores) {
  const { store } = core;
  const { every, start, stopping, stop } = openWork(log);
  every(LEASES_EVERY, "leases", () => sweepLeases(core));
  every(QUESTIONS_EVERY, "questions", () => sweepQuestions(core));
  every(ANSWERS_EVERY, "idempotency", async () => {
    for (const { id } of await store.read(listOrganizations)) await store.write(id, (tx) => forgetOldAnswers(tx, id));
  });
  every(FILES_EVERY, "files", () => sweepFiles(core));
  every(SESSIONS_EVERY, "sessions", () => sweepSessions(core));
  every(GRANTS_EVERY, "grants", () => sweepGrants(core));
  every(WAKES_EVERY, "wakes", async () => {
    for (const { id } of await store.read(listOrganizations)) await store.write(id, (tx) => forgetOldWakes(tx, id));
  });
  every(ROOMS_EVERY, "deleted rooms", () => sweepRooms(core, stopping));
  if (pruneInterval > 0) every(pruneInterval * 1_000, "retention", () => sweepRetention(core, stopping));
  start("search", () => indexWhatIsThere(core, stopping));
  start("upgrade", () => announceUpgrade(store, { version: core.settings.version, isTold: announceUpgrades }));
  return { stop };
}

/** What is done now and what again and again, until it is all stopped. */
function openWork(log: Log) {
  const work = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  const stopping = new AbortController();

  function start(what: string, task: () => Promise<void>) {
    // The next round does what this one could not; the operator is told why.
    const run = task().catch((cause: unknown) => log.warn({ cause, what }, "housekeeping failed"));
    work.add(run);
    void run.finally(() => work.delete(run));
  }

  return {
    start,
    every(ms: number, what: string, task: () => Promise<void>) {
      timers.push(setInterval(() => start(what, task), ms).unref());
    },
    /** Aborts when what takes long is to stop half-way. */
    stopping: stopping.signal,
    async stop() {
      stopping.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(work);
    },
  };
}

/** Gives tasks whose lease has ended back to the board, with an event for each. */
export async function sweepLeases({ store, committed }: Core): Promise<void> {
  for (const organization of await store.read(listOrganizationsWithEndedLeases)) {
    const events = await store.write(organization, async (tx) => {
      const ended = await endLeases(tx, organization);
      if (ended.length > 0) appendEvents(tx, organization, HUB, ended);
      return ended;
    });
    committed(organization, events);
  }
}

/** Ends the questions whose deadline is over, and tells their two people. */
export async function sweepQuestions({ store, committed }: Core): Promise<void> {
  for (const organization of await store.read(listOrganizationsWithOverdue)) {
    const events = await store.write(organization, async (tx) => {
      const expired = await expireQuestions(tx, organization);
      if (expired.length > 0) appendEvents(tx, organization, HUB, expired);
      return expired;
    });
    committed(organization, events);
  }
}

/** Frees what expired files take up. */
export async function sweepFiles({ store }: Core): Promise<void> {
  for (const organization of await store.read(listOrganizationsWithExpired)) {
    let dropped: number;
    do dropped = await store.write(organization, (tx) => dropExpired(tx, organization, FILES_PAGE));
    while (dropped === FILES_PAGE);
  }
}

/** Removes what is left of deleted rooms that were too large to go at once. */
export async function sweepRooms({ store }: Pick<Core, "store">, signal: AbortSignal): Promise<void> {
  for (const room of await store.read(listClosedRooms)) {
    let more = true;
    while (more && !signal.aborted) more = await store.write(room.organization, (tx) => removePage(tx, room));
  }
}

/** Removes what rooms keep no longer. */
export async function sweepRetention({ store }: Core, signal: AbortSignal): Promise<void> {
  for (const room of await store.read(listForgettingRooms)) {
    let more = true;
    while (more && !signal.aborted) more = await store.write(room.organization, (tx) => prunePage(tx, room));
  }
}

async function prunePage(tx: Tx, { organization, room: id }: ForgettingRoom): Promise<boolean> {
  const room = await findForgettingRoom(tx, organization, id);
  if (!room) return false; // deleted meanwhile, or it keeps everything now
  const { pruned, more } = await pruneRoom(tx, room, PAGE);
  if (pruned.events > 0)
    appendEvents(tx, organization, HUB, [{ kind: "room_pruned", detail: sentenceOf(room.name, pruned) }]);
  return more;
}

/** Makes findable what was written before search was there: at a start after an upgrade, and then never again. */
export async function indexWhatIsThere({ store }: Pick<Core, "store">, signal: AbortSignal): Promise<void> {
  for (;;) {
    const waiting = await store.read(listBacklog);
    const organization = waiting[0]?.organization;
    if (organization === undefined || signal.aborted) return;
    await store.write(organization, (tx) => indexBacklog(tx, waiting));
  }
}

/** Ends the leases of one member who calls again: its call renews what it still holds, not what it has lost. */
export async function endMembersLeases(tx: Tx, organization: string, holder: string): Promise<void> {
  const ended = await endLeases(tx, organization, { holder });
  if (ended.length > 0) appendEvents(tx, organization, HUB, ended);
}

/** Drops what sessions have left that no longer call: first their places, then the proofs that they were there. */
export async function sweepSessions({ store }: Core): Promise<void> {
  for (const { id } of await store.read(listOrganizations)) {
    await sweepPages(store, id, findEndOfPlaces, dropLeftPlaces);
    await sweepPages(store, id, findEndOfPresence, dropSilentSessions);
  }
}

/** Drops what the authorization server needs no longer: what ran out, and the sign-ins of clients some time after their end. */
export async function sweepGrants({ store }: Core): Promise<void> {
  let dropped: number;
  // Records of clients and of sign-ins under way belong to no organization.
  do dropped = await store.write("", (tx) => dropOldRecords(tx, PAGE));
  while (dropped === PAGE);
  for (const { id } of await store.read(listOrganizations))
    await store.write(id, (tx) => dropEndedGrants(tx, id, tx.now - ENDED_GRANTS_KEPT));
}

async function sweepPages<Key>(
  store: Store,
  organization: string,
  findEnd: (tx: Tx, organization: string, after: Key | undefined, size: number) => Promise<Key | undefined>,
  drop: (tx: Tx, organization: string, page: { after: Key | undefined; upTo: Key | undefined }) => Promise<void>,
): Promise<void> {
  let after: Key | undefined;
  do {
    const page = { after, upTo: await store.read((tx) => findEnd(tx, organization, after, PAGE)) };
    await store.write(organization, (tx) => drop(tx, organization, page));
    after = page.upTo;
  } while (after);
}
