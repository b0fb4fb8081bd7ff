import pg from "pg";
import { StoreSetupError } from "../store.ts";
import type { ArchiveRow, ArchiveValue, TableRows } from "./format.ts";
import { refuseUnknown, type Snapshot, stepsNamed, tablesOf } from "./tables.ts";

/** Rows fetched at a time; of tables with bytes in them a file's part may stand in each. */
const PAGE_ROWS = 500;
const PAGE_ROWS_WITH_BYTES = 8;

/** A column, and how it stands in an archive: the words of a text index as one text. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** Counts and moments are below 2^53. */
const NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};

/**
 * Opens one connection for a long task, without the deadlines that a server's have.
 *
 * @throws StoreSetupError when Postgres is not reachable or refuses.
 */
export async function connectAlone(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    options: "-c timezone=UTC -c lock_timeout=10000 -c statement_timeout=0 -c idle_in_transaction_session_timeout=0",
    types: NUMBERS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreSetupError(`Postgres at ${new URL(url).host} cannot be used: ${why}.`, { cause: error });
  }
}

/** Takes a snapshot of a Postgres database while others write to it: one REPEATABLE READ transaction. */
export async function snapshotPostgres(url: string): Promise<Snapshot> {
  const client = await connectAlone(url);
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    const schema = await appliedSteps(client);
    return {
      schema,
      tables: dump(client, schema),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function appliedSteps(client: pg.Client): Promise<string[]> {
  const ledger = await client.query<{ there: string | null }>(
    "select cast(to_regclass('migrations') as text) as there",
  );
  if (!ledger.rows[0]?.there) throw new StoreSetupError("The database has no tables of Crewroom's.");
  const { rows } = await client.query<{ name: string }>("select name from migrations");
  refuseUnknown(rows.map((row) => row.name));
  return stepsNamed(rows.map((row) => row.name)).map((step) => step.name);
}

async function* dump(client: pg.Client, schema: readonly string[]): AsyncGenerator<TableRows> {
  for (const table of tablesOf(stepsNamed(schema), "postgres")) {
    const columns = await columnsOf(client, table);
    yield { table, columns: columns.map((column) => column.name), pages: pagesOf(client, table, columns) };
  }
}

export async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select a.attname as name, cast(cast(a.atttypid as regtype) as text) as type
     from pg_attribute a
     where a.attrelid = cast($1 as regclass) and a.attnum > 0 and not a.attisdropped
     order by a.attnum`,
    [table],
  );
  return rows;
}

async function* pagesOf(client: pg.Client, table: string, columns: readonly Column[]): AsyncGenerator<ArchiveRow[]> {
  const chosen = columns.map(({ name, type }) =>
    type === "tsvector" ? `array_to_string(tsvector_to_array(${name}), ' ') as ${name}` : name,
  );
  // SQLite takes rows into a text index fastest in the order of their places.
  const order = columns.some(({ name }) => name === "place") ? "order by place" : "";
  await client.query(`declare rows_of_table no scroll cursor for select ${chosen.join(", ")} from ${table} ${order}`);
  const count = columns.some(({ type }) => type === "bytea") ? PAGE_ROWS_WITH_BYTES : PAGE_ROWS;
  for (;;) {
    const page = await client.query<ArchiveValue[]>({ text: `fetch ${count} from rows_of_table`, rowMode: "array" });
    if (page.rows.length > 0) yield page.rows;
    if (page.rows.length < count) break;
  }
  await client.query("close rows_of_table");
}
