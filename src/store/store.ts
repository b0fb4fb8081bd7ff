import type { SearchDialect } from "./search.ts";
import type { Sql } from "./sql.ts";

/** One transaction's view of the database. */
export interface Tx {
  /** The database's clock when this transaction began: ms since 1970, UTC. It judges leases, expiries and deadlines. */
  readonly now: number;
  /** Every row. */
  all<Row>(query: Sql): Promise<Row[]>;
  /** The first row, or undefined. */
  one<Row>(query: Sql): Promise<Row | undefined>;
  /** How many rows were written. */
  run(query: Sql): Promise<number>;
  /** How this database finds texts by their words. */
  readonly search: SearchDialect;
  /** Asks that those who follow this organization's log are woken once the commit is durable. */
  wakeAfterCommit(): void;
  /**
   * Leaves something for the end of the commit: there `write` gets, once, what all the jobs of the commit left for it, in
   * their order. A job that fails leaves nothing.
   */
  atEnd<Left>(write: WriteLeft<Left>, left: Left): void;
}

export type WriteLeft<Left> = (tx: Tx, left: readonly Left[]) => Promise<void>;

/** Which organizations have news; "all" when another process wrote and did not say for whom. */
export type Woken = ReadonlySet<string> | "all";

/** Where things are kept. Two methods, so that only `write` can change anything and only `write` wakes. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  /** Runs `work` on one consistent snapshot, in a transaction that cannot write. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs `work` for one organization in a transaction of its own or in a savepoint of a shared one.
   * Settles only after the commit is durable. When `work` throws, nothing of it stays and the same error comes out.
   * `work` may await nothing but `tx` and may be run again.
   *
   * @throws StoreError when the database cannot take it.
   */
  write<T>(organization: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Calls `listener` after each commit that asked for it. Gives back how to stop. */
  onWake(listener: (woken: Woken) => void): () => void;
  /**
   * Whether it hears at once what other processes write; false where the address for LISTEN is a pooler's, so that their news come
   * by a look every second; undefined while that is not known.
   */
  hears(): boolean | undefined;
  /** Whether the database answers. */
  ping(): Promise<boolean>;
  /** Ends after the writes under way; further calls are refused. */
  close(): Promise<void>;
}

/** Time as the store judges it: the database's clock plus an offset (ms) that only tests move. */
export interface Clock {
  offset: number;
}

export const REAL_TIME: Readonly<Clock> = { offset: 0 };

/** Why the database could not do it. `full`: no space or read-only. `away`: not reachable. `unknown`: cut off during the commit. */
export type StoreTrouble = "full" | "away" | "unknown";

/** The database could not do what was asked. After `full` and `away` nothing was applied. */
export class StoreError extends Error {
  readonly trouble: StoreTrouble;
  constructor(trouble: StoreTrouble, cause?: unknown) {
    super(`The database is ${trouble === "unknown" ? "cut off" : trouble}.`, { cause });
    this.trouble = trouble;
  }
}

/** The database could not be opened as it is set up: a fact the operator can act on. */
export class StoreSetupError extends Error {}

/** Jobs wait for one commit together; at most this many share it. Measured: 8.8 a commit at 16 callers, 34 at 64. */
export const MAX_BATCH = 50;

/** A rule awaits only its transaction, so it ends in microseconds; after this (ms) it waits for something else. */
export const RULE_DEADLINE = 5_000;

/** A set of listeners that are all told, in the order they came. */
export function wakeList() {
  const listeners = new Set<(woken: Woken) => void>();
  return {
    add(listener: (woken: Woken) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    wake(woken: Woken) {
      if (woken === "all" || woken.size > 0) for (const listener of listeners) listener(woken);
    },
  };
}
