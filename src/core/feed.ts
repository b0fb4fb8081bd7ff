import type { Store, Woken } from "../store/store.ts";
import { fail, type HubError } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Caller, RoomRef } from "./operation.ts";

/** How often (ms) every open stream and wait asks whether its credential and its room still hold. P9 allows two seconds. */
const RECHECK_EVERY = 1_000;

/** One stream's or one wait's place at the bell of its organization. */
export interface Subscription {
  /** Resolves at the next commit of the organization after it was called, when `signal` aborts, or after `ms`. */
  readonly nextNews: (ms: number) => Promise<void>;
  /** Aborts when the client went away, the credential or its grant of the room ended, or the hub stops. */
  readonly signal: AbortSignal;
  /** Whoever subscribes calls it when done. */
  readonly end: () => void;
}

export interface Feed {
  /** @throws HubError `too_many_streams` */
  subscribe(followed: Followed, client?: AbortSignal): Subscription;
  /** Open streams and waits. */
  readonly open: number;
  close(): void;
}

/** Who follows what. */
export interface Followed {
  readonly caller: Caller;
  /** The room, where it follows one. */
  readonly room: RoomRef | undefined;
}

/** Says what of this may be followed no longer, and why: the credential was revoked or has expired, its member or room is gone. */
export type FindEnded = (followed: readonly Followed[]) => Promise<ReadonlyMap<Followed, HubError>>;

interface Seat extends Followed {
  readonly control: AbortController;
  ring: (() => void) | undefined;
}

/** Live wake-ups over the log: a bell per organization. It carries nothing; who is woken reads the log from its place. */
export function openFeed(store: Store, findEnded: FindEnded): Feed {
  const seats = openSeats();

  async function recheck() {
    const taken = seats.all();
    if (taken.length === 0) return;
    const ended = await findEnded(taken);
    for (const seat of taken) if (ended.has(seat)) seat.control.abort(ended.get(seat));
  }

  const stopRinging = store.onWake((woken) => {
    for (const seat of seats.woken(woken)) seat.ring?.();
  });
  const timer = setInterval(() => {
    // A database that does not answer ends no stream here: P9 gives a node that was cut off ten seconds.
    recheck().catch(() => undefined);
  }, RECHECK_EVERY);
  timer.unref();

  return {
    subscribe({ caller, room }, client) {
      const seat: Seat = { caller, room, control: new AbortController(), ring: undefined };
      seats.take(seat);
      const leave = () => seat.control.abort(client?.reason);
      if (client?.aborted) leave();
      client?.addEventListener("abort", leave, { once: true });
      seat.control.signal.addEventListener("abort", () => seat.ring?.(), { once: true });
      const end = () => {
        seats.leave(seat);
        client?.removeEventListener("abort", leave);
      };
      return { signal: seat.control.signal, nextNews: (ms) => nextNews(seat, ms), end };
    },
    get open() {
      return seats.all().length;
    },
    close() {
      stopRinging();
      clearInterval(timer);
      for (const seat of seats.all()) seat.control.abort(fail("stopping"));
    },
  };
}

/** Who sits at which organization's bell, and how many seats each credential holds. */
function openSeats() {
  const rows = new Map<string, Set<Seat>>();
  const held = new Map<string, number>();
  const all = () => [...rows.values()].flatMap((row) => [...row]);
  return {
    all,
    woken: (woken: Woken) =>
      woken === "all" ? all() : [...woken].flatMap((organization) => [...(rows.get(organization) ?? [])]),
    take(seat: Seat) {
      const { organization, credential } = seat.caller;
      const count = held.get(credential) ?? 0;
      if (count >= LIMITS.streamsPerToken) throw fail("too_many_streams", { most: LIMITS.streamsPerToken, seconds: 5 });
      held.set(credential, count + 1);
      rows.set(organization, (rows.get(organization) ?? new Set()).add(seat));
    },
    leave(seat: Seat) {
      const { organization, credential } = seat.caller;
      const row = rows.get(organization);
      if (!row?.delete(seat)) return;
      if (row.size === 0) rows.delete(organization);
      const left = (held.get(credential) ?? 1) - 1;
      if (left > 0) held.set(credential, left);
      else held.delete(credential);
    },
  };
}

function nextNews(seat: Seat, ms: number): Promise<void> {
  if (seat.control.signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      if (seat.ring === done) seat.ring = undefined;
      resolve();
    };
    const timer = setTimeout(done, ms);
    seat.ring = done;
  });
}
