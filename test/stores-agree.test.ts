import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { migrateSqlite } from "../src/store/migrate.ts";
import { makeDatabase, TESTED_STORES } from "../src/testkit/databases.ts";

/** `table.column` of every table, with what must be alike: whether it may be null, and whether it is in the key. */
type Columns = string[];

function sqliteColumns(db: DatabaseSync): Columns {
  const rows = db
    .prepare(
      `select t.name as table_name, c.name, c."notnull" or c.pk > 0 as required, c.pk > 0 as in_key
       from sqlite_schema t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'sqlite_%' and t.name not like 'search_index%'`,
    )
    .all();
  return rows.map(columnLine).sort();
}

async function postgresColumns(url: string): Promise<Columns> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`
    select c.table_name, c.column_name as name, c.is_nullable = 'NO' as required, k.column_name is not null as in_key
    from information_schema.columns c
    left join (
      select u.table_name, u.column_name
      from information_schema.table_constraints t
      join information_schema.key_column_usage u using (constraint_name, table_name)
      where t.constraint_type = 'PRIMARY KEY') k
      on k.table_name = c.table_name and k.column_name = c.column_name
    where c.table_schema = 'public' and c.table_name <> 'search_index'`);
  await client.end();
  return rows.map(columnLine).sort();
}

function columnLine(row: Record<string, unknown>): string {
  const [table, column] = [String(row["table_name"]), String(row["name"])];
  return `${table}.${column} ${row["required"] ? "required" : "optional"} ${row["in_key"] ? "key" : ""}`;
}

test("both stores have the same tables, columns and keys", async () => {
  expect(TESTED_STORES, "this test needs both stores").toEqual(["sqlite", "postgres"]);
  const folder = mkdtempSync(join(tmpdir(), "crewroom-agree-"));
  const file = new DatabaseSync(join(folder, "x.db"));
  await migrateSqlite(file);
  const database = await makeDatabase("postgres");

  const [sqlite, postgres] = [sqliteColumns(file), await postgresColumns(database.settings["DATABASE_URL"] ?? "")];
  file.close();
  rmSync(folder, { recursive: true });
  await database.remove();

  expect(sqlite.length).toBeGreaterThan(100);
  expect(sqlite).toEqual(postgres);
});

test("every table but those of the instance has the organization in its key", () => {
  const db = new DatabaseSync(":memory:");
  void migrateSqlite(db);
  const keys = sqliteColumns(db);
  const tables = new Set(keys.map((column) => column.split(".")[0]));

  for (const table of tables) {
    if (["migrations", "instance", "organizations", "oauth_records"].includes(table ?? "")) continue;
    expect(keys, table).toContain(`${table}.organization required key`);
  }
});
