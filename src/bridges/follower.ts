import { appendEvents, HUB, readHead } from "../core/event-log.ts";
import type { NewEvent } from "../core/events.ts";
import type { Log } from "../core/log.ts";
import type { Store, Tx } from "../store/store.ts";
import {
  addFollower,
  advanceFollower,
  dropFollower,
  failFollower,
  type FollowedEvent,
  type FollowerKey,
  type FollowerRow,
  listDue,
  listFollowed,
  listUnfollowed,
  takeFollower,
} from "./follower-queries.ts";

/** What a kind of follower does with what it follows. */
export interface FollowerKind {
  readonly kind: string;
  /** Every organization has one, which begins where its log stands when it is first seen. */
  readonly everywhere?: true;
  /** What it needs, read with the events; undefined when nobody wants it any more, and it is dropped. */
  open(tx: Tx, key: FollowerKey): Promise<Delivery | undefined>;
  /** How long (ms) it may fail in a row before it is given up; undefined for ever. */
  readonly patience?: number;
  /** Gives it up, in the transaction that notes the last failure. Gives what is to be told of it. */
  giveUp?(tx: Tx, key: FollowerKey, problem: string): Promise<NewEvent[]>;
  /** Notes what went wrong last, for whoever looks. */
  noteProblem?(tx: Tx, key: FollowerKey, problem: string): Promise<void>;
}

export interface Delivery {
  readonly wants: (event: FollowedEvent) => boolean;
  /**
   * Delivers one event, at least once: it may come again after a crash. Ends when `signal` aborts.
   *
   * @throws DeliveryProblem when it did not arrive
   */
  readonly deliver: (event: FollowedEvent, signal: AbortSignal) => Promise<void>;
}

/** It did not arrive; the message is a fact without others' text. `final`: it never will, so it is given up at once. */
export class DeliveryProblem extends Error {
  readonly final: boolean;
  constructor(problem: string, { final = false, cause }: { final?: boolean; cause?: unknown } = {}) {
    super(problem, { cause });
    this.final = final;
  }
}

/** Events read at once. */
const PAGE = 50;
/** After so many deliveries, or so long (ms), the place is noted: what came after it comes again after a crash. */
const NOTED_EVERY = 10;
const NOTED_WITHIN = 20_000;
/** How long (ms) one delivery may take. */
export const DELIVERY_MS = 10_000;
/** How long (ms) a process has a follower without a sign of life: longer than a note and a delivery take. */
const HELD = 60_000;
/** How many followers one process works on at a time. */
const AT_ONCE = 32;
/** How often (ms) is looked at what needs no wake: retries, what a dead process held. */
const LOOK_EVERY = 1_000;
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 300_000;

export interface Followers {
  /** Works on all that is due, and resolves when it is done. */
  work(): Promise<void>;
  stop(): Promise<void>;
}

export interface FollowerParts {
  readonly store: Store;
  readonly log: Log;
  /** This process; no two have the same. */
  readonly node: string;
  readonly kinds: readonly FollowerKind[];
}

/**
 * Follows the log for those who cannot ask: each follower has its place in the database, goes on where it stopped, and is
 * worked on by one process at a time. One that fails waits ever longer, and holds no other up.
 */
export function openFollowers(parts: FollowerParts): Followers {
  const { store, node, kinds } = parts;
  const names = kinds.map(({ kind }) => kind);
  const stopping = new AbortController();
  const work = openWork(parts, stopping.signal);
  const stopRinging = store.onWake(() => void work.look());
  const timer = setInterval(() => void work.look(), LOOK_EVERY);
  timer.unref();
  void work.look();
  return {
    async work() {
      do {
        await work.look();
        await work.idle();
      } while ((await store.read((tx) => listDue(tx, names, node, 1))).length > 0);
    },
    async stop() {
      stopRinging();
      clearInterval(timer);
      stopping.abort();
      await work.look();
      await work.idle();
    },
  };
}

/** Finds what is due and sees to it, one look at a time. */
function openWork(parts: FollowerParts, signal: AbortSignal) {
  const { store, log, node, kinds } = parts;
  const byKind = new Map(kinds.map((kind) => [kind.kind, kind]));
  const running = new Map<string, Promise<void>>();
  let passedOver = false;
  let looking: Promise<void> | undefined;
  // What rings during a look makes for one more.
  let again = false;

  function look(): Promise<void> {
    again = true;
    looking ??= lookUntilQuiet().finally(() => (looking = undefined));
    return looking;
  }

  async function lookUntilQuiet() {
    while (again && !signal.aborted) {
      again = false;
      // A database that does not answer now is asked again by the next look.
      await seatEverywhere(store, kinds).catch(() => undefined);
      const due = store.read((tx) => listDue(tx, [...byKind.keys()], node, AT_ONCE * 2));
      for (const key of await due.catch(() => [])) start(key);
    }
  }

  function start(key: FollowerKey) {
    const name = JSON.stringify([key.organization, key.kind, key.id]);
    const kind = byKind.get(key.kind);
    if (!kind || signal.aborted) return;
    if (running.has(name) || running.size >= AT_ONCE) {
      passedOver = true;
      return;
    }
    const run = follow({ ...parts, kind, key, signal })
      // The database is away, or there is a bug; another look does what this one could not.
      .catch((cause: unknown) => log.warn({ cause, follower: name }, "a follower failed"))
      .finally(() => {
        running.delete(name);
        // It may have let go just before what rang then, and others wait for their turn.
        if (passedOver) void look();
        passedOver = false;
      });
    running.set(name, run);
  }

  return { look, idle: () => Promise.all(running.values()) };
}

async function seatEverywhere(store: Store, kinds: readonly FollowerKind[]) {
  for (const { kind, everywhere } of kinds) {
    if (!everywhere) continue;
    for (const organization of await store.read((tx) => listUnfollowed(tx, kind)))
      await store.write(organization, (tx) => addFollower(tx, organization, kind));
  }
}

interface Following extends FollowerParts {
  readonly kind: FollowerKind;
  readonly key: FollowerKey;
  readonly signal: AbortSignal;
}

/** Delivers what there is, page by page, then lets the follower go. */
async function follow(following: Following): Promise<void> {
  const { store, node, key, signal } = following;
  const taken = await store.write(key.organization, (tx) => takeFollower(tx, key, node, tx.now + HELD));
  let row = taken;
  while (row) {
    const next = await followPage(following, row);
    if (next === undefined || signal.aborted) return;
    row = next;
  }
}

/** Gives the follower as it stands after a page; undefined when it is done, failed or taken by another process. */
async function followPage(following: Following, row: FollowerRow): Promise<FollowerRow | undefined> {
  const { store, node, kind, key, signal } = following;
  const page = await store.read(async (tx) => ({
    delivery: await kind.open(tx, key),
    events: await listFollowed(tx, row, row.position, PAGE),
    head: (await readHead(tx, key.organization)).position,
  }));
  if (!page.delivery) {
    await store.write(key.organization, (tx) => dropFollower(tx, key));
    return undefined;
  }
  const isWhole = page.events.length < PAGE;
  const outcome = await deliverAll(following, page.delivery, page.events, row.position);
  if (outcome === "lost") return undefined;
  if (outcome.problem) {
    await noteFailure(following, row, outcome.done, outcome.problem);
    return undefined;
  }
  // With nothing left all that happened elsewhere is passed as well, so that the next look begins at what is new.
  const done = isWhole && !signal.aborted ? page.head : outcome.done;
  const stays = !isWhole && !signal.aborted;
  const kept = await store.write(key.organization, (tx) =>
    advanceFollower(tx, key, node, done, stays ? tx.now + HELD : null),
  );
  return kept && stays ? { ...row, position: done, failures: 0, failing_since: null } : undefined;
}

/** Delivers in order. `done`: the position up to which all is delivered; `lost` when another process took over meanwhile. */
async function deliverAll(
  { store, node, key, signal }: Following,
  { wants, deliver }: Delivery,
  events: readonly FollowedEvent[],
  start: number,
): Promise<{ done: number; problem?: DeliveryProblem } | "lost"> {
  let done = start;
  let since = 0;
  let noted = performance.now();
  for (const event of events) {
    if (signal.aborted) break;
    if (wants(event)) {
      try {
        await deliver(event, signal);
      } catch (error) {
        if (signal.aborted) break;
        if (!(error instanceof DeliveryProblem)) throw error;
        return { done, problem: error };
      }
      since += 1;
    }
    done = event.position;
    if (since < NOTED_EVERY && performance.now() - noted < NOTED_WITHIN) continue;
    since = 0;
    noted = performance.now();
    const upTo = done;
    const kept = await store.write(key.organization, (tx) => advanceFollower(tx, key, node, upTo, tx.now + HELD));
    if (!kept) return "lost";
  }
  return { done };
}

async function noteFailure(
  { store, node, kind, key }: Following,
  row: FollowerRow,
  done: number,
  problem: DeliveryProblem,
) {
  await store.write(key.organization, async (tx) => {
    const failures = done > row.position ? 0 : row.failures;
    const wait = Math.min(FIRST_WAIT * 2 ** Math.min(failures, 20), LONGEST_WAIT);
    const failed = await failFollower(tx, key, node, done, tx.now + wait);
    if (!failed) return;
    await kind.noteProblem?.(tx, key, problem.message);
    const { patience } = kind;
    const tooLong = patience !== undefined && tx.now - (failed.failing_since ?? tx.now) >= patience;
    if (!kind.giveUp || !(problem.final || tooLong)) return;
    const events = await kind.giveUp(tx, key, problem.message);
    await dropFollower(tx, key);
    if (events.length > 0) appendEvents(tx, key.organization, HUB, events);
  });
}
