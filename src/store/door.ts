import { AsyncLocalStorage } from "node:async_hooks";
import type { Sql } from "./sql.ts";
import { RULE_DEADLINE, StoreError, type Tx, type WriteLeft } from "./store.ts";

/** A transaction without what is done once for a whole commit. */
export type TxView = Omit<Tx, "wakeAfterCommit" | "atEnd">;

/** One write that waits for its commit. */
export interface Job {
  readonly organization: string;
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly settle: (outcome: Outcome) => void;
}
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** What takes the jobs: it commits them together, and `idle` resolves when none is left. */
export interface Committer {
  readonly enqueue: (job: Job) => void;
  readonly idle: () => Promise<void>;
}

const insideRule = new AsyncLocalStorage<true>();

/** The one way in for writes, whatever the database. */
export function openDoor({ enqueue, idle }: Committer) {
  let closed = false;
  return {
    write<T>(organization: string, work: (tx: Tx) => Promise<T>): Promise<T> {
      if (insideRule.getStore())
        return Promise.reject(new Error("A rule called store.write: it would wait for itself."));
      if (closed) return Promise.reject(new StoreError("away"));
      return new Promise<T>((resolve, reject) => {
        // `value` is what `work` gave, so it is a T.
        const settle = (outcome: Outcome) => ("value" in outcome ? resolve(outcome.value as T) : reject(outcome.error));
        enqueue({ organization, work, settle });
      });
    },
    async close(): Promise<void> {
      closed = true;
      await idle();
    },
  };
}

/** What a job wants done once for the whole commit. */
export interface Wishes {
  /** The organizations whose readers are to be woken after it. */
  readonly woken: Set<string>;
  /** What it left for the end, by who writes it. */
  readonly left: Map<WriteLeft<unknown>, unknown[]>;
}

export function noWishes(): Wishes {
  return { woken: new Set(), left: new Map() };
}

/** Runs a job's work within its deadline; what it wishes counts only if it does not fail. */
export async function runWork(job: Job, view: TxView): Promise<{ value: unknown; wishes: Wishes }> {
  const wishes = noWishes();
  let over = false;
  const tx: Tx = {
    ...view,
    all: <Row>(query: Sql) => inTime(() => view.all<Row>(query)),
    one: <Row>(query: Sql) => inTime(() => view.one<Row>(query)),
    run: (query) => inTime(() => view.run(query)),
    wakeAfterCommit: () => void wishes.woken.add(job.organization),
    // What is left for a writer is given to no other, so the types of both stay together.
    atEnd: (write, left) => leave(wishes, write as WriteLeft<unknown>, [left]),
  };
  try {
    const value = await insideRule.run(true, () => withDeadline(job.work(tx)));
    return { value, wishes };
  } finally {
    over = true;
  }

  /** What a rule asks after its time would land in somebody else's transaction, or in none. */
  function inTime<T>(ask: () => Promise<T>): Promise<T> {
    return over ? Promise.reject(new Error("This transaction is over.")) : ask();
  }
}

/** Adds what a job wishes to what those before it wished. */
export function addWishes(all: Wishes, { woken, left }: Wishes): void {
  for (const organization of woken) all.woken.add(organization);
  for (const [write, items] of left) leave(all, write, items);
}

function leave({ left }: Wishes, write: WriteLeft<unknown>, items: readonly unknown[]) {
  const before = left.get(write);
  if (before) before.push(...items);
  else left.set(write, [...items]);
}

/** Writes what was left for the end, just before the commit. */
export async function writeLeft({ left }: Wishes, view: TxView): Promise<void> {
  for (const [write, items] of left) await write(withoutWishes(view), items);
}

function refuseWish(): never {
  throw new Error("A read, and the end of a commit, wakes nobody and leaves nothing.");
}

/** A transaction in which nothing can be wished: for reading, and for the end of a commit. */
export function withoutWishes(view: TxView): Tx {
  return { ...view, wakeAfterCommit: refuseWish, atEnd: refuseWish };
}

/** Tells every job of a batch what became of it: its own outcome, or the trouble that befell them all. */
export function settleAll(batch: readonly Job[], outcomes: readonly Outcome[] | { error: unknown }): void {
  batch.forEach((job, index) => {
    job.settle("error" in outcomes ? outcomes : (outcomes[index] ?? { error: new StoreError("unknown") }));
  });
}

const TOO_LATE = "The database stalled, or the rule awaited something other than its transaction.";

/** After the deadline the connection is given up, so that nothing of the job can be kept. */
async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StoreError("away", new Error(TOO_LATE))), RULE_DEADLINE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
