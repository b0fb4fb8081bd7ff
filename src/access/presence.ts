import type { Caller } from "../core/operation.ts";
import { type Store, StoreError, type Tx } from "../store/store.ts";
import { markPresence, markTokenSeen, type TokenRow } from "./queries.ts";

/** `last seen` of a token is written at most this often (ms). */
const SEEN_EVERY = 60_000;
/** A session's last call is written at most this often (ms): a lease is counted from it, so it is a bound on its error. */
const PRESENCE_EVERY = 10_000;
/** Writes remembered at most; what is forgotten is written once more. */
const MOST_KEPT = 50_000;
/** How long (ms) a call waits for that to be written: a database that is busy writing keeps nobody from reading. */
const PATIENCE = 500;

/** By which of its programs a session calls. */
export const PATHS = ["tool", "hook", "watch", "bridge"] as const;
export type Path = (typeof PATHS)[number];

/** Where a request came from and which session sent it. */
export interface Origin {
  readonly address: string;
  readonly session: string;
  /** By which path; `tool` unless said. Null: the call itself proves none, and says which one it is about. */
  readonly path?: Path | null;
}

/** Done in the transaction that notes a member's presence, before it is noted: what its absence has ended stays ended. */
export type BeforePresence = (tx: Tx, organization: string, member: string) => Promise<void>;

/** Notes when a token and a session were last there: seldom, so most calls write nothing. `now` is a monotonic clock in ms. */
export function openPresence(store: Store, now: () => number, before: BeforePresence) {
  const written = new Map<string, number>();

  function isDue(what: string, every: number): boolean {
    const last = written.get(what);
    if (last !== undefined && now() - last < every) return false;
    if (written.size >= MOST_KEPT) written.clear();
    written.set(what, now());
    return true;
  }

  return {
    async note(
      { organization, id, member, kind }: TokenRow,
      { address, session, path = "tool" }: Origin,
    ): Promise<void> {
      const seenDue = isDue(`${organization}/${id}`, SEEN_EVERY);
      const presenceDue = path !== null && isDue(`${organization}/${id}/${path}/${session}`, PRESENCE_EVERY);
      if (!seenDue && !presenceDue) return;
      const write = store.write(organization, async (tx) => {
        if (seenDue) await markTokenSeen(tx, organization, id, address);
        if (path === null) return;
        await before(tx, organization, member);
        await markPresence(tx, organization, member, session, kind === "web" ? "browser" : path);
      });
      // Reading goes on when the disk is full: then nobody is seen, and that is all. What the call itself writes comes after.
      await atMost(
        PATIENCE,
        write.catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
        }),
      );
    },
    async prove({ organization, handle, credential }: Caller, session: string, path: Path): Promise<void> {
      if (!isDue(`${organization}/${credential}/${path}/${session}`, PRESENCE_EVERY)) return;
      await store.write(organization, async (tx) => {
        await before(tx, organization, handle);
        await markPresence(tx, organization, handle, session, path);
      });
    },
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
