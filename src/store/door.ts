import { AsyncLocalStorage } from "node:async_hooks";
import { RULE_DEADLINE, StoreError, type Tx } from "./store.ts";

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

/** Runs a job's work within its deadline. `wants` says afterwards whether readers are to be woken. */
export async function runWork(job: Job, view: Tx): Promise<{ value: unknown; wants: boolean }> {
  let wants = false;
  const tx = { ...view, wakeAfterCommit: () => void (wants = true) };
  const value = await insideRule.run(true, () => withDeadline(job.work(tx)));
  return { value, wants };
}

/** Tells every job of a batch what became of it: its own outcome, or the trouble that befell them all. */
export function settleAll(batch: readonly Job[], outcomes: readonly Outcome[] | { error: unknown }): void {
  batch.forEach((job, index) => {
    job.settle("error" in outcomes ? outcomes : (outcomes[index] ?? { error: new StoreError("unknown") }));
  });
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("A rule awaited something other than its transaction.")), RULE_DEADLINE);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
