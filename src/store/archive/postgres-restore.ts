import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { noWishes, addWishes, runWork, type TxView, writeLeft } from "../door.ts";
import { migratePostgresWithin, MIGRATIONS } from "../migrate.ts";
import { transaction } from "../postgres.ts";
import { asStoreError, isConnectionTrouble } from "../postgres-trouble.ts";
import { REAL_TIME, StoreError, StoreSetupError, type Tx } from "../store.ts";
import { ArchiveError, type ArchiveRow, type ArchiveValue } from "./format.ts";
import { type Column, columnsOf, connectAlone } from "./postgres-dump.ts";
import { checkBefore, type Loader, loadRows, NotEmptyError, type Restored, type Restoring } from "./restore.ts";
import { stepsNamed, tablesOf } from "./tables.ts";

/** Postgres counts the values of a statement with sixteen bits. */
const MOST_VALUES = 60_000;

/**
 * Restores into a Postgres database, all in one transaction: a kill leaves what was there.
 *
 * @throws ArchiveError, NotEmptyError, SchemaError, and StoreSetupError while a server uses the database.
 */
export async function restorePostgres<T>(url: string, restoring: Restoring<T>): Promise<Restored<T>> {
  const head = await checkBefore(restoring.file);
  const client = await connectAlone(url);
  try {
    // Before the transaction: within one, the list of connections stays as it was first seen.
    await refuseOthers(client);
    await client.query("begin");
    const there = await tablesThere(client);
    if (there.length > 0 && !restoring.replace && !(await asTx(client, restoring.isEmpty)))
      throw new NotEmptyError(`The database at ${new URL(url).host} is not empty.`);
    if (there.length > 0) await client.query(`drop table ${there.join(", ")} cascade`);
    await migratePostgresWithin(client, stepsNamed(head.schema));
    const references = await dropReferences(client);
    const contents = await loadRows(restoring.file, loaderOf(client, tablesOf(stepsNamed(head.schema), "postgres")));
    for (const reference of references) await client.query(reference);
    await goOnCounting(client);
    // Brings what an older program made to this one's schema.
    await migratePostgresWithin(client);
    const finished = await asTx(client, (tx) => restoring.finish(tx, head));
    await client.query("commit");
    // Without it the first queries are planned for empty tables.
    await client.query("analyze");
    return { contents, finished };
  } catch (error) {
    await client.query("rollback").catch(() => undefined); // the first error tells more
    throw readably(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** How long (ms) connections that are ending get, of a server that was stopped a moment ago. */
const ENDING_PATIENCE = 5_000;

/** A server would go on writing beside the restore, and with what it remembers of before. */
async function refuseOthers(client: pg.Client) {
  const started = performance.now();
  for (;;) {
    const others = await countOthers(client);
    if (others === 0) return;
    if (performance.now() - started > ENDING_PATIENCE)
      throw new StoreSetupError(
        `The database is in use by ${others} other connection${others === 1 ? "" : "s"}: stop every Crewroom that serves it first.`,
      );
    await pause(250);
  }
}

async function countOthers(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*) as others
     from pg_stat_activity
     where datname = current_database() and usename = current_user and pid <> pg_backend_pid()
       and backend_type = 'client backend'`,
  );
  return Number(rows[0]?.others);
}

/** Of all that Crewroom makes, what is there, the list of its steps included. */
async function tablesThere(client: pg.Client): Promise<string[]> {
  const ours = [...tablesOf(MIGRATIONS, "postgres"), "migrations"];
  const { rows } = await client.query<{ name: string }>(
    `select relname as name
     from pg_class
     where relnamespace = cast(current_schema() as regnamespace) and relkind = 'r' and relname = any($1)`,
    [ours],
  );
  return rows.map((row) => row.name);
}

/** Takes the references between tables away, so that rows may come in any order. Gives the statements that bring them back. */
async function dropReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select cast(c.conrelid as regclass)::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c
     where c.contype = 'f' and c.connamespace = cast(current_schema() as regnamespace)
       and cast(c.conrelid as regclass)::text = any($1)`,
    [tablesOf(MIGRATIONS, "postgres")],
  );
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint "${name}"`);
  return rows.map(({ table, name, definition }) => `alter table ${table} add constraint "${name}" ${definition}`);
}

/** Numbers that Postgres gives by itself go on after those that were brought back. */
async function goOnCounting(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string }>(
    `select cast(a.attrelid as regclass)::text as table, a.attname as column
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     where a.attidentity <> '' and c.relnamespace = cast(current_schema() as regnamespace) and c.relname = any($1)`,
    [tablesOf(MIGRATIONS, "postgres")],
  );
  for (const { table, column } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), greatest(coalesce(max(${column}), 0) + 1, 1), false)
       from ${table}`,
    );
}

function loaderOf(client: pg.Client, tables: readonly string[]): Loader {
  const known = new Map<string, readonly Column[]>();
  return {
    async columnsOf(table) {
      if (!tables.includes(table)) return [];
      const columns = await columnsOf(client, table);
      known.set(table, columns);
      return columns.map((column) => column.name);
    },
    async insert(table, columns, rows) {
      const types = new Map(known.get(table)?.map(({ name, type }) => [name, type]));
      const placeOf = (index: number, column: string) =>
        types.get(column) === "tsvector" ? `array_to_tsvector(string_to_array($${index}, ' '))` : `$${index}`;
      const most = Math.max(1, Math.floor(MOST_VALUES / columns.length));
      for (let from = 0; from < rows.length; from += most) {
        const page = rows.slice(from, from + most);
        const places = page.map((_, row) =>
          columns.map((column, at) => placeOf(row * columns.length + at + 1, column)).join(", "),
        );
        const text = `insert into ${table} (${columns.join(", ")}) values (${places.join("), (")})`;
        await client.query(text, page.flatMap(valuesOf));
      }
    },
  };
}

/** Bytes must be a Buffer for the library to send them as such. */
function valuesOf(row: ArchiveRow): ArchiveValue[] {
  return row.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
}

/** Runs a rule in the transaction that is open, with what it leaves for its end. */
async function asTx<T>(client: pg.Client, work: (tx: Tx) => Promise<T>): Promise<T> {
  const now = await client.query<{ now: number }>(
    "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as now",
  );
  const view: TxView = transaction(client, now.rows[0], REAL_TIME).view;
  const wishes = noWishes();
  // The value is what `work` gave, so it is a T.
  const done = await runWork({ organization: "", work, settle: () => undefined }, view);
  addWishes(wishes, done.wishes);
  await writeLeft(wishes, view);
  return done.value as T;
}

function readably(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && /^(22|23)/.test(error.code ?? ""))
    return new ArchiveError(`It holds what cannot be: ${error.message}`, { cause: error });
  return isConnectionTrouble(error) && !(error instanceof StoreError)
    ? new StoreError("away", error)
    : asStoreError(error);
}
