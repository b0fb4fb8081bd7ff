import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { DatabasePlace } from "./archive/archive.ts";
import { MIGRATIONS } from "./migrate.ts";

/** What can be seen of a database without changing it. */
export interface DatabaseFacts {
  /** Why it cannot be used; undefined when it can. */
  readonly problem?: string | undefined;
  /** Made, but maybe not migrated. */
  readonly exists: boolean;
  readonly engine: string;
  /** Steps of this program that it lacks, and steps it has that this program does not know. */
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  /** How far (ms) its clock is ahead of this process's. */
  readonly clockAhead: number;
  /** What the instance keeps about itself, by name. */
  readonly values: ReadonlyMap<string, string>;
  /** SQLite only: whether a server holds the file, and who may read it (octal permission bits). */
  readonly served?: boolean;
  readonly mode?: number;
}

const NOTHING = {
  exists: false,
  engine: "",
  missing: MIGRATIONS.map((step) => step.name),
  unknown: [],
  clockAhead: 0,
  values: new Map<string, string>(),
};

interface InstanceRow {
  readonly name: string;
  readonly value: string;
}

/** Looks at a SQLite file; makes nothing. */
export function inspectSqlite(path: string): DatabaseFacts {
  const engine = `SQLite ${process.versions.sqlite}`;
  if (!existsSync(path)) return { ...NOTHING, engine, problem: folderProblem(dirname(resolve(path))) };
  const mode = statSync(path).mode & 0o777;
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    try {
      const now = Number(db.prepare("select cast(unixepoch('subsec') * 1000 as integer) as now").get()?.["now"]);
      const clockAhead = now - Date.now();
      const has = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
      // The columns are those of the two statements.
      const rowsOf = (table: string, statement: string) =>
        (has.get(table) ? db.prepare(statement).all() : []) as unknown;
      const applied = rowsOf("migrations", "select name from migrations") as { name: string }[];
      const values = rowsOf("instance", "select name, value from instance") as InstanceRow[];
      const facts = { ...compare(applied.map((row) => row.name)), clockAhead, values: mapOf(values) };
      return { exists: true, engine, ...facts, served: isServed(path), mode };
    } finally {
      db.close();
    }
  } catch (error) {
    return { ...NOTHING, exists: true, engine, mode, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Looks at a Postgres database; changes nothing. */
export async function inspectPostgres(url: string): Promise<DatabaseFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, statement_timeout: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ engine: string; now: string; ledger: string | null }>(`
      select current_setting('server_version') as engine, cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now,
        cast(to_regclass('migrations') as text) as ledger`);
    const { engine = "", now = "0", ledger = null } = rows[0] ?? {};
    const rowsOf = async <Row extends pg.QueryResultRow>(statement: string) =>
      ledger ? (await client.query<Row>(statement)).rows : [];
    const applied = await rowsOf<{ name: string }>("select name from migrations");
    const values = await rowsOf<InstanceRow>("select name, value from instance");
    return {
      exists: ledger !== null,
      engine: `Postgres ${engine}`,
      ...compare(applied.map((row) => row.name)),
      clockAhead: Number(now) - Date.now(),
      values: mapOf(values),
    };
  } catch (error) {
    return {
      ...NOTHING,
      engine: "Postgres",
      problem: error instanceof Error ? error.message || String(error) : String(error),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What SQLite itself finds wrong with a file, or with what its rows refer to; Postgres looks after itself. */
export function checkStructure(place: DatabasePlace): string[] {
  if (place.kind !== "sqlite") return [];
  const db = new DatabaseSync(place.path, { readOnly: true, timeout: 5_000 });
  try {
    const found = db
      .prepare("pragma integrity_check(20)")
      .all()
      .map((row) => String(row["integrity_check"]));
    const broken = db.prepare("pragma foreign_key_check").all().slice(0, 20);
    const dangling = broken.map((row) => `a row of ${String(row["table"])} refers to what is not there`);
    return [...found.filter((line) => line !== "ok"), ...dangling];
  } finally {
    db.close();
  }
}

function mapOf(rows: readonly InstanceRow[]): Map<string, string> {
  return new Map(rows.map(({ name, value }) => [name, value]));
}

function compare(applied: readonly string[]) {
  const known = MIGRATIONS.map((step) => step.name);
  return {
    missing: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/** The server holds the lock file exclusively, so it cannot even be read. */
function isServed(path: string): boolean {
  if (!existsSync(`${path}.lock`)) return false;
  const lock = new DatabaseSync(`${path}.lock`, { readOnly: true, timeout: 0 });
  try {
    lock.prepare("select name from sqlite_master").all();
    return false;
  } catch {
    return true;
  } finally {
    lock.close();
  }
}

/** Why a file could not be made there, looked up from the nearest folder that exists. */
function folderProblem(folder: string): string | undefined {
  if (!existsSync(folder)) return dirname(folder) === folder ? `there is no ${folder}` : folderProblem(dirname(folder));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `the folder ${folder} cannot be written by this user`;
  }
}
