import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { fail } from "../core/errors.ts";
import type { Caller } from "../core/operation.ts";

/** Failed sign-ins of one address within a window. `limit` 0 turns it off. */
export interface ThrottleSettings {
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Throttle {
  /** @throws HubError `too_many_attempts` once the address has used up its failures. A right token is never asked. */
  refuseIfSpent(address: string): Promise<void>;
  failed(address: string): Promise<void>;
}

/** Addresses kept at most. Beyond it, newcomers share one budget, so that memory is bounded and nobody goes unthrottled. */
const MOST_ADDRESSES = 4_096;
const CROWD = "crowd";

/** Counts wrong credentials per address, in this process. */
export function openThrottle({ limit, windowSeconds }: ThrottleSettings): Throttle {
  if (limit === 0) return { refuseIfSpent: async () => undefined, failed: async () => undefined };
  const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  const known = openAddressBook(windowSeconds);
  return {
    async refuseIfSpent(address) {
      const spent = await limiter.get(known.keyOf(address));
      if (spent && spent.consumedPoints >= limit) throw fail("too_many_attempts", { seconds: secondsLeft(spent) });
    },
    async failed(address) {
      known.remember(address);
      await limiter.penalty(known.keyOf(address));
    },
  };
}

/** Bounds what an address may ask for within a window, right or wrong, in this process. `limit` 0 turns it off. */
export function openAddressLimit({ limit, windowSeconds }: ThrottleSettings): (address: string) => Promise<void> {
  if (limit === 0) return async () => undefined;
  const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  const known = openAddressBook(windowSeconds);
  return async (address) => {
    known.remember(address);
    try {
      await limiter.consume(known.keyOf(address));
    } catch (spent) {
      // As below: what is left of the window, not an error.
      throw fail("too_many_from_address", { seconds: secondsLeft(spent as RateLimiterRes) });
    }
  };
}

/** Which addresses have a budget of their own. */
function openAddressBook(windowSeconds: number) {
  const known = new Map<string, number>();
  return {
    keyOf: (address: string) => (known.has(address) || known.size < MOST_ADDRESSES ? address : CROWD),
    remember(address: string) {
      const now = performance.now();
      for (const [oldest, since] of known) {
        if (now - since < windowSeconds * 1_000) break;
        known.delete(oldest);
      }
      if (known.size < MOST_ADDRESSES && !known.has(address)) known.set(address, now);
    },
  };
}

/** Bounds the calls of one credential in a minute, in this process; 0 = no bound. */
export function openCallLimit(perMinute: number): (caller: Caller) => Promise<void> {
  if (perMinute === 0) return async () => undefined;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return async ({ organization, credential }) => {
    try {
      await limiter.consume(`${organization}/${credential}`);
    } catch (spent) {
      // The library rejects with what is left of the window, not with an error.
      throw fail("too_many_calls", { seconds: secondsLeft(spent as RateLimiterRes) });
    }
  };
}

function secondsLeft(spent: RateLimiterRes): number {
  return Math.max(1, Math.ceil(spent.msBeforeNext / 1_000));
}
