import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { StoreSetupError } from "./store.ts";

/** A row of a database that is not ours, by column. */
export type ForeignRow = Readonly<Record<string, string | number | null | Uint8Array>>;

/** Another program's database, read as it is at one moment, and never written. */
export interface Foreign {
  /** The columns of a table; none where there is no such table. Names that are asked for stand in our own code. */
  columns(table: string): Promise<readonly string[]>;
  /** What stands in a column, each once; nothing where there is no such table. */
  values(table: string, column: string): Promise<readonly string[]>;
  /** Its rows in an order, a few at a time; several tables may be read side by side. */
  rows(table: string, order: readonly string[]): AsyncIterable<ForeignRow>;
  close(): Promise<void>;
}

const PAGE_ROWS = 100;

/** @param place  a SQLite file, or the address of a Postgres. @throws StoreSetupError when it cannot be read. */
export async function openForeign(place: string): Promise<Foreign> {
  try {
    return /^postgres(ql)?:\/\//.test(place) ? await openPostgres(place) : openSqlite(place);
  } catch (error) {
    if (error instanceof StoreSetupError) throw error;
    const shown = place.startsWith("postgres") ? new URL(place).host : place;
    throw new StoreSetupError(`${shown} cannot be read: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
}

function openSqlite(path: string): Foreign {
  if (!existsSync(path)) throw new StoreSetupError(`There is no file ${path}.`);
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  // One moment for all that follows: it begins with the first look.
  db.exec("pragma trusted_schema = off; begin");
  db.prepare("select count(*) from sqlite_schema").get();
  return {
    async columns(table) {
      return db
        .prepare("select name from pragma_table_info(?)")
        .all(table)
        .map((row) => String(row["name"]));
    },
    async values(table, column) {
      if (db.prepare("select 1 from pragma_table_info(?) where name = ?").get(table, column) === undefined) return [];
      const rows = db.prepare(`select distinct ${column} as value from ${table} where ${column} is not null`).all();
      return rows.map((row) => String(row["value"]));
    },
    async *rows(table, order) {
      // What SQLite stores.
      yield* db.prepare(`select * from ${table} order by ${order.join(", ")}`).iterate() as Iterable<ForeignRow>;
    },
    async close() {
      db.close();
    },
  };
}

async function openPostgres(url: string): Promise<Foreign> {
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, types });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin transaction isolation level repeatable read read only");
  let cursors = 0;
  return {
    async columns(table) {
      const { rows } = await client.query<{ name: string }>(
        "select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped",
        [table],
      );
      return rows.map((row) => row.name);
    },
    async values(table, column) {
      const there = await client.query<{ there: string | null }>("select cast(to_regclass($1) as text) as there", [
        table,
      ]);
      if (!there.rows[0]?.there) return [];
      const { rows } = await client.query<{ value: string }>(
        `select distinct cast(${column} as text) as value from ${table} where ${column} is not null`,
      );
      return rows.map((row) => row.value);
    },
    async *rows(table, order) {
      const cursor = `foreign_${(cursors += 1)}`;
      await client.query(`declare ${cursor} no scroll cursor for select * from ${table} order by ${order.join(", ")}`);
      for (;;) {
        const { rows } = await client.query<ForeignRow>(`fetch ${PAGE_ROWS} from ${cursor}`);
        yield* rows;
        if (rows.length < PAGE_ROWS) break;
      }
      await client.query(`close ${cursor}`);
    },
    close: () => client.end(),
  };
}
