import type { Tx } from "../store.ts";
import { ArchiveError, type ArchiveContents, type ArchiveHead, type ArchiveRow } from "./format.ts";
import { checkArchive, readArchive } from "./reader.ts";
import { refuseUnknown, stepsNamed, tablesOf } from "./tables.ts";

/** How an archive is brought back. */
export interface Restoring<T> {
  readonly file: string;
  /** Whether a database has nothing in it that could be lost. */
  readonly isEmpty: (tx: Tx) => Promise<boolean>;
  /** What is done once all rows are there, in the transaction that brings them back. */
  readonly finish: (tx: Tx, head: ArchiveHead) => Promise<T>;
  /** Whether a database that is not empty may be replaced. */
  readonly replace: boolean;
}

export interface Restored<T> {
  readonly contents: ArchiveContents;
  readonly finished: T;
  /** SQLite: where the file that was replaced lies now. */
  readonly kept?: string | undefined;
}

/** There is something in the database that a restore would replace. */
export class NotEmptyError extends Error {}

/** Where rows go, in an open transaction. */
export interface Loader {
  /** The columns of a table, or nothing where there is no such table. */
  columnsOf(table: string): Promise<readonly string[]>;
  insert(table: string, columns: readonly string[], rows: readonly ArchiveRow[]): Promise<void>;
}

/**
 * Reads an archive through once, so that nothing of a damaged one is brought back.
 *
 * @throws ArchiveError, or SchemaError when it was made by a newer program.
 */
export async function checkBefore(file: string): Promise<ArchiveHead> {
  const { head, rows } = await checkArchive(file);
  refuseUnknown(head.schema);
  const lacks = tablesOf(stepsNamed(head.schema), head.store).find((table) => !(table in rows));
  if (lacks !== undefined) throw new ArchiveError(`It lacks the table ${lacks}`);
  return head;
}

/** Puts every row of an archive into tables that its own steps made. @throws ArchiveError */
export async function loadRows(file: string, loader: Loader): Promise<ArchiveContents> {
  const parts = readArchive(file);
  let into: { table: string; columns: readonly string[] } | undefined;
  for (;;) {
    const step = await parts.next();
    if (step.done) return step.value;
    const part = step.value;
    if (part.what === "table") {
      // Names from outside become part of statements, so only those that the schema has are taken.
      const known = await loader.columnsOf(part.table);
      const isKnown = known.length === part.columns.length && part.columns.every((column) => known.includes(column));
      if (!isKnown) throw new ArchiveError(`Its table ${part.table} is not one of its own schema's`);
      into = part;
    }
    if (part.what === "rows" && into) await loader.insert(into.table, into.columns, part.rows);
  }
}
