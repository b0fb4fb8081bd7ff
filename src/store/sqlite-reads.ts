import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type TxView, withoutWishes } from "./door.ts";
import { transactions } from "./sqlite-statements.ts";
import { type Clock, MAX_BATCH, StoreError, type Tx } from "./store.ts";

interface Read {
  readonly run: (view: TxView) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

/**
 * Reads that wait share one snapshot, taken after the last of them asked. Taking one costs several system calls: sharing it
 * saves a tenth of a message list's processor time at 64 callers.
 */
export function groupReads(db: DatabaseSync, clock: Readonly<Clock>) {
  const { begin } = transactions(db, clock);
  const waiting: Read[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  async function drain() {
    while (waiting.length > 0) {
      await nextTurn();
      await readTogether(waiting.splice(0, MAX_BATCH));
    }
    running = undefined;
  }

  async function readTogether(batch: readonly Read[]) {
    try {
      db.exec("begin");
      const view = begin();
      for (const read of batch) await read.run(view);
      db.exec("commit");
    } catch (error) {
      if (db.isTransaction) db.exec("rollback");
      // Those that were answered already hear nothing more.
      for (const read of batch) read.fail(error);
    }
  }

  return {
    read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      if (closed) return Promise.reject(new StoreError("away"));
      return new Promise<T>((resolve, reject) => {
        waiting.push({ run: (view) => work(withoutWishes(view)).then(resolve, reject), fail: reject });
        running ??= drain();
      });
    },
    async close(): Promise<void> {
      closed = true;
      await running;
    },
  };
}
