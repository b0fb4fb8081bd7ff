import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { ClientBase } from "pg";
import { firstTables } from "./migrations/0001-first-tables.ts";
import { peopleAndQuestions } from "./migrations/0002-people-and-questions.ts";
import { search } from "./migrations/0003-search.ts";
import { delivery } from "./migrations/0004-delivery.ts";
import { files } from "./migrations/0005-files.ts";
import { searchAndRetention } from "./migrations/0006-search-and-retention.ts";
import { imports } from "./migrations/0007-imports.ts";
import { bridges } from "./migrations/0008-bridges.ts";
import { metrics } from "./migrations/0009-metrics.ts";
import { searchByPlace } from "./migrations/0012-search-by-place.ts";
import type { Migration } from "./migrations/migration.ts";

/** In order, for ever: a migration that was released is never edited (its digest is checked at each start). */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  peopleAndQuestions,
  search,
  delivery,
  files,
  searchAndRetention,
  imports,
  bridges,
  metrics,
  searchByPlace,
];

/** The database was made by a newer or another Crewroom; starting would harm it. */
export class SchemaError extends Error {}

const LEDGER = `create table if not exists migrations (
  name text primary key,
  digest text not null,
  applied_at text not null default (cast(current_timestamp as text))
)`;

/** Any number that no other program on the same Postgres uses for an advisory lock. */
const POSTGRES_LOCK = 7_239_401;

/**
 * Brings a SQLite file to the newest schema. All missing steps share one transaction: a kill leaves the old schema whole.
 *
 * @throws SchemaError when the file is newer than this program, or a released step was changed.
 */
export async function migrateSqlite(db: DatabaseSync, migrations = MIGRATIONS): Promise<string[]> {
  db.exec("pragma busy_timeout = 5000; begin immediate; pragma busy_timeout = 0");
  try {
    db.exec(LEDGER);
    const applied = db.prepare("select name, digest from migrations").all() as unknown as AppliedRow[];
    const missing = stepsMissing(applied, migrations);
    for (const step of missing) {
      for (const statement of [...step.statements, ...(step.sqlite ?? [])]) db.exec(statement);
      db.prepare("insert into migrations (name, digest) values (?, ?)").run(step.name, digestOf(step));
    }
    db.exec("commit");
    return missing.map((step) => step.name);
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}

/** The same for Postgres, under a lock, so that nodes that start together apply each step once. */
export async function migratePostgres(client: ClientBase, migrations = MIGRATIONS): Promise<string[]> {
  await client.query("begin");
  try {
    const applied = await migratePostgresWithin(client, migrations);
    await client.query("commit");
    return applied;
  } catch (error) {
    await client.query("rollback").catch(() => undefined); // the first error tells more
    throw error;
  }
}

/** The same in a transaction that the caller began, and ends. */
export async function migratePostgresWithin(client: ClientBase, migrations = MIGRATIONS): Promise<string[]> {
  await client.query("select pg_advisory_xact_lock($1)", [POSTGRES_LOCK]);
  await client.query(LEDGER);
  const { rows } = await client.query<AppliedRow>("select name, digest from migrations");
  const missing = stepsMissing(rows, migrations);
  for (const step of missing) {
    for (const statement of [...step.statements, ...(step.postgres ?? [])]) await client.query(statement);
    await client.query("insert into migrations (name, digest) values ($1, $2)", [step.name, digestOf(step)]);
  }
  return missing.map((step) => step.name);
}

interface AppliedRow {
  name: string;
  digest: string;
}

function stepsMissing(applied: readonly AppliedRow[], migrations: readonly Migration[]): Migration[] {
  const known = new Map(migrations.map((step) => [step.name, digestOf(step)]));
  for (const { name, digest } of applied) {
    if (!known.has(name))
      throw new SchemaError(
        `The database has step "${name}", which this Crewroom does not know: it is older than the database.`,
      );
    if (known.get(name) !== digest)
      throw new SchemaError(`The database's step "${name}" is not the one of this Crewroom.`);
  }
  const names = new Set(applied.map((row) => row.name));
  return migrations.filter((step) => !names.has(step.name));
}

function digestOf(step: Migration) {
  return createHash("sha256")
    .update(JSON.stringify([step.statements, step.sqlite ?? [], step.postgres ?? []]))
    .digest("hex");
}
