import type { Store, Tx } from "../../store/store.ts";
import { type Imported, type ImportScope, listImported, noteImported } from "./queries.ts";
import { count, type Report } from "./report.ts";

/** What was brought over so far, by what it was there; what is added is kept with the transaction that brings it. */
export interface Ledger {
  readonly scope: ImportScope;
  find(kind: string, old: string | number): Imported | undefined;
  /** Notes it in the transaction. `tell` is called once that is committed, and never for what was not. */
  add(tx: Tx, kind: string, one: Imported, tell?: () => void): Promise<void>;
  /** After a commit: what was added in it is known from now on. After a failure: forget it. */
  keep(): void;
  forget(): void;
}

export async function openLedger(
  store: Store,
  scope: ImportScope,
  kinds: readonly string[],
  report: Report,
): Promise<Ledger> {
  const known = new Map<string, Imported>();
  let added: { readonly kind: string; readonly one: Imported; readonly tell: (() => void) | undefined }[] = [];
  for (const kind of kinds)
    for (const one of await store.read((tx) => listImported(tx, scope, kind))) known.set(`${kind} ${one.old}`, one);
  return {
    scope,
    find: (kind, old) =>
      known.get(`${kind} ${old}`) ?? added.find((a) => a.kind === kind && a.one.old === String(old))?.one,
    async add(tx, kind, one, tell) {
      await noteImported(tx, scope, kind, one);
      added.push({ kind, one, tell });
    },
    keep() {
      for (const { kind, one, tell } of added) {
        known.set(`${kind} ${one.old}`, one);
        count(report, kind, "imported");
        tell?.();
      }
      added = [];
    },
    forget: () => void (added = []),
  };
}

/** Runs a piece of the import in one transaction: its rows, its events and what is noted of it. */
export async function inOneCommit<T>(store: Store, ledger: Ledger, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await store.write(ledger.scope.organization, (tx) => {
    // It may be run again.
    ledger.forget();
    return work(tx);
  });
  ledger.keep();
  return done;
}
