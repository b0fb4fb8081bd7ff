import type { Store, Woken } from "../store/store.ts";
import { fail } from "./errors.ts";
import { LIMITS } from "./limits.ts";
import type { Caller } from "./operation.ts";

/** How often (ms) every open stream and wait asks whether its credential still holds. P9 allows two seconds. */
const RECHECK_EVERY = 1_000;

/** One stream's or one wait's place at the bell of its organization. */
export interface Subscription {
  /** Resolves at the next commit of the organization after it was called, when `signal` aborts, or after `ms`. */
  readonly nextNews: (ms: number) => Promise<void>;
  /** Aborts when the client went away, the credential ended or the hub stops. */
  readonly signal: AbortSignal;
  /** Whoever subscribes calls it when done. */
  readonly end: () => void;
}

export interface Feed {
  /** @throws HubError `too_many_streams` */
  subscribe(caller: Caller, client?: AbortSignal): Subscription;
  /** Open streams and waits. */
  readonly open: number;
  close(): void;
}

/** Says which of these credentials no longer hold: revoked, expired, their member or room gone. */
export type EndedCredentials = (callers: readonly Caller[]) => Promise<ReadonlySet<string>>;

interface Seat {
  readonly caller: Caller;
  readonly control: AbortController;
  ring: (() => void) | undefined;
}

/** Live wake-ups over the log: a bell per organization. It carries nothing; who is woken reads the log from its place. */
export function openFeed(store: Store, endedCredentials: EndedCredentials): Feed {
  const seats = new Map<string, Set<Seat>>();
  const perCredential = new Map<string, number>();
  let open = 0;

  function ring(woken: Woken) {
    const rows = woken === "all" ? seats.values() : [...woken].flatMap((organization) => seats.get(organization) ?? []);
    for (const row of rows) for (const seat of row) seat.ring?.();
  }

  async function recheck() {
    const all = [...seats.values()].flatMap((row) => [...row]);
    if (all.length === 0) return;
    const ended = await endedCredentials([
      ...new Map(all.map((seat) => [seat.caller.credential, seat.caller])).values(),
    ]);
    for (const seat of all)
      if (ended.has(seat.caller.credential))
        seat.control.abort(fail("not_signed_in", { problem: "The token has ended" }));
  }

  const stopRinging = store.onWake(ring);
  const timer = setInterval(() => {
    // A database that does not answer ends no stream here: P9 gives a node that was cut off ten seconds.
    recheck().catch(() => undefined);
  }, RECHECK_EVERY);
  timer.unref();

  function subscribe(caller: Caller, client?: AbortSignal): Subscription {
    const held = perCredential.get(caller.credential) ?? 0;
    if (held >= LIMITS.streamsPerToken) throw fail("too_many_streams", { most: LIMITS.streamsPerToken, seconds: 5 });
    perCredential.set(caller.credential, held + 1);
    open += 1;
    const seat: Seat = { caller, control: new AbortController(), ring: undefined };
    const row = seats.get(caller.organization) ?? new Set();
    seats.set(caller.organization, row.add(seat));
    const leave = () => seat.control.abort(client?.reason);
    if (client?.aborted) leave();
    client?.addEventListener("abort", leave, { once: true });
    seat.control.signal.addEventListener("abort", () => seat.ring?.(), { once: true });
    return { signal: seat.control.signal, nextNews: (ms) => nextNews(seat, ms), end };

    function end() {
      if (!row.delete(seat)) return;
      seat.ring?.(); // whoever leaves before the bell leaves no timer behind
      client?.removeEventListener("abort", leave);
      open -= 1;
      const left = (perCredential.get(caller.credential) ?? 1) - 1;
      if (left > 0) perCredential.set(caller.credential, left);
      else perCredential.delete(caller.credential);
      if (row.size === 0) seats.delete(caller.organization);
    }
  }

  return {
    subscribe,
    get open() {
      return open;
    },
    close() {
      stopRinging();
      clearInterval(timer);
      for (const row of seats.values()) for (const seat of row) seat.control.abort(fail("stopping"));
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
