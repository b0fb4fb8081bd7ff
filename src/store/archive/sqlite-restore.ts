import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrateSqlite } from "../migrate.ts";
import { asStoreError, lockFile, makeFolder, openSqlite } from "../sqlite.ts";
import type { Tx } from "../store.ts";
import { ArchiveError, type ArchiveContents, type ArchiveHead, type ArchiveRow } from "./format.ts";
import { ownName } from "./own-names.ts";
import { checkBefore, type Loader, loadRows, NotEmptyError, type Restored, type Restoring } from "./restore.ts";
import { columnIn, columnsOf } from "./sqlite-dump.ts";
import { stepsNamed, tablesOf } from "./tables.ts";

/**
 * Restores into a SQLite file. Everything is made ready in a file of its own, which then takes the place of the other in one
 * step: a kill leaves the old one, or none. One that was replaced is kept beside it.
 *
 * @throws ArchiveError, NotEmptyError, SchemaError, and StoreSetupError when a server has the file.
 */
export async function restoreSqlite<T>(path: string, restoring: Restoring<T>): Promise<Restored<T>> {
  makeFolder(path);
  const lock = lockFile(path);
  try {
    const head = await checkBefore(restoring.file);
    if (existsSync(path) && !restoring.replace && !(await isEmpty(path, restoring.isEmpty)))
      throw new NotEmptyError(`The database ${path} is not empty.`);
    const made = ownName(path, "restoring");
    try {
      const { contents, finished } = await makeFile(made, head, restoring);
      return { contents, finished, kept: takePlace(path, made) };
    } finally {
      for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(`${made}${end}`, { force: true });
    }
  } catch (error) {
    throw asStoreError(error);
  } finally {
    lock.close();
  }
}

/** Restores into a new file that nobody else knows, for looking at it. @throws ArchiveError, SchemaError */
export async function restoreScratch(path: string, file: string): Promise<ArchiveContents> {
  const head = await checkBefore(file);
  const { contents } = await makeFile(path, head, { file, finish: async () => undefined });
  return contents;
}

async function isEmpty(path: string, ask: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  const store = await openSqlite({ path });
  try {
    return await store.read(ask);
  } finally {
    await store.close();
  }
}

async function makeFile<T>(
  path: string,
  head: ArchiveHead,
  { file, finish }: Pick<Restoring<T>, "file" | "finish">,
): Promise<{ contents: ArchiveContents; finished: T }> {
  closeSync(openSync(path, "wx", 0o600));
  const contents = await fill(path, head, file);
  // Brings what an older program made to this one's schema.
  const store = await openSqlite({ path });
  try {
    const finished = await store.write("", (tx) => finish(tx, head));
    return { contents, finished };
  } finally {
    await store.close();
  }
}

async function fill(path: string, head: ArchiveHead, file: string): Promise<ArchiveContents> {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    // Nobody needs this file before it is whole, so it need not survive anything until then.
    db.exec("pragma journal_mode = off; pragma synchronous = off; pragma trusted_schema = off");
    await migrateSqlite(db, stepsNamed(head.schema));
    db.exec("begin");
    const contents = await loadRows(file, loaderOf(db, head));
    db.exec("commit");
    const [broken] = db.prepare("pragma foreign_key_check").all();
    if (broken) throw new ArchiveError(`Its table ${String(broken["table"])} refers to what is not there`);
    return contents;
  } catch (error) {
    throw db.isOpen && isConstraint(error) ? new ArchiveError(`It holds what cannot be: ${error.message}`) : error;
  } finally {
    db.close();
  }
}

function isConstraint(error: unknown): error is Error {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 19;
}

function loaderOf(db: DatabaseSync, head: ArchiveHead): Loader {
  const tables = tablesOf(stepsNamed(head.schema), "sqlite");
  return {
    columnsOf: async (table) => (tables.includes(table) ? columnsOf(db, table) : []),
    async insert(table, columns, rows) {
      const places = columns.map(() => "?").join(", ");
      const statement = db.prepare(`insert into ${table} (${columns.map(columnIn).join(", ")}) values (${places})`);
      for (const row of rows) statement.run(...(row as ArchiveRow[number][])); // the library only reads it
    },
  };
}

/** Puts the file that was made in the place of the other, on the disk too. Gives where the other is kept. */
function takePlace(path: string, made: string): string | undefined {
  const kept = existsSync(path) ? keep(path) : undefined;
  const file = openSync(made, "r");
  fsyncSync(file);
  closeSync(file);
  renameSync(made, path);
  const folder = openSync(dirname(resolve(path)), "r");
  fsyncSync(folder);
  closeSync(folder);
  return kept;
}

/** Gives the file a second name. What stands in its log is brought into it first, where it can still be opened. */
function keep(path: string): string {
  const name = `${path}.before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  try {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    db.exec("pragma wal_checkpoint(truncate)");
    db.close();
  } catch {
    // A damaged file is kept as it is, with its log.
  }
  rmSync(name, { force: true });
  linkSync(path, name);
  for (const end of ["-wal", "-shm"]) if (existsSync(path + end)) leaveNoLog(path + end, name + end);
  return name;
}

/** A log beside the new file would be taken for that one's. */
function leaveNoLog(log: string, name: string) {
  if (statSync(log).size > 0 && log.endsWith("-wal")) renameSync(log, name);
  else rmSync(log);
}
