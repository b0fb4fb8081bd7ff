import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { asStoreError } from "../sqlite.ts";
import { StoreSetupError } from "../store.ts";
import type { ArchiveRow, TableRows } from "./format.ts";
import { ownName } from "./own-names.ts";
import { refuseUnknown, type Snapshot, stepsNamed, tablesOf } from "./tables.ts";

const PAGE_ROWS = 500;

/**
 * Takes a snapshot of a SQLite file while others write to it: `vacuum into` a file of its own beside `beside`, gone at the end.
 * Copying the file instead loses what stands in its log, and no check of SQLite's finds that.
 *
 * @throws StoreSetupError when there is no database, SchemaError when it is newer than this program.
 */
export function snapshotSqlite(path: string, beside: string): Snapshot {
  if (!existsSync(path)) throw new StoreSetupError(`There is no database ${path}.`);
  const copy = ownName(beside, "snapshot");
  // Made first, so that it is nobody else's to read from its first byte on.
  closeSync(openSync(copy, "wx", 0o600));
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      source.prepare("vacuum into ?").run(copy);
    } finally {
      source.close();
    }
    const db = new DatabaseSync(copy, { readOnly: true });
    const schema = appliedSteps(db);
    return {
      schema,
      tables: dump(db, schema),
      async close() {
        db.close();
        rmSync(copy, { force: true });
      },
    };
  } catch (error) {
    rmSync(copy, { force: true });
    throw asStoreError(error);
  }
}

function appliedSteps(db: DatabaseSync): string[] {
  const has = db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'migrations'").get();
  if (!has) throw new StoreSetupError("The file is no database of Crewroom's.");
  const names = db
    .prepare("select name from migrations order by rowid")
    .all()
    .map((row) => String(row["name"]));
  refuseUnknown(names);
  return names;
}

async function* dump(db: DatabaseSync, schema: readonly string[]): AsyncGenerator<TableRows> {
  for (const table of tablesOf(stepsNamed(schema), "sqlite")) {
    const columns = columnsOf(db, table);
    yield { table, columns, pages: pagesOf(db, table, columns) };
  }
}

/**
 * The columns of a table as an archive names them. A text index has no column for the place of a row in time: there its row id
 * is that place, which Postgres keeps in a column.
 */
export function columnsOf(db: DatabaseSync, table: string): string[] {
  const columns = db.prepare("select name from pragma_table_info(?) order by cid").all(table);
  const isIndex = db.prepare("select 1 from sqlite_schema where name = ? and sql like '%using fts5%'").get(table);
  return [...columns.map((row) => String(row["name"])), ...(isIndex ? [PLACE] : [])];
}
const PLACE = "place";

/** How a column is called in a statement. */
export function columnIn(column: string): string {
  return column === PLACE ? "rowid" : column;
}

function* pagesOf(db: DatabaseSync, table: string, columns: readonly string[]): Generator<ArchiveRow[]> {
  const statement = db.prepare(`select ${columns.map(columnIn).join(", ")} from ${table}`);
  statement.setReturnArrays(true);
  let page: ArchiveRow[] = [];
  let bytes = 0;
  // With rows as arrays each is one of what SQLite stores; numbers beyond 2^53 it refuses to give.
  for (const row of statement.iterate() as unknown as Iterable<ArchiveRow>) {
    page.push(row);
    for (const value of row) if (value instanceof Uint8Array) bytes += value.length;
    if (page.length < PAGE_ROWS && bytes < 1_000_000) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}
