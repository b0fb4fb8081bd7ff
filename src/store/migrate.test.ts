import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { makeDatabase, TESTED_STORES } from "../testkit/databases.ts";
import { migratePostgres, MIGRATIONS, migrateSqlite } from "./migrate.ts";
import type { Migration } from "./migrations/migration.ts";

const NEXT: Migration = {
  name: "9000-next",
  statements: [
    "create table first_half (organization text primary key)",
    "create table second_half (organization text primary key)",
  ],
};
const BROKEN: Migration = { ...NEXT, statements: [...NEXT.statements, "this is no statement"] };

test("a SQLite migration that stops at any statement leaves the old schema whole, and the next start finishes it (P16)", async () => {
  const db = new DatabaseSync(":memory:");
  await migrateSqlite(db);
  const before = schemaOf(db);

  await expect(migrateSqlite(db, [...MIGRATIONS, BROKEN])).rejects.toThrow();
  expect(schemaOf(db)).toEqual(before);
  expect(await migrateSqlite(db, [...MIGRATIONS, NEXT])).toEqual(["9000-next"]);
  expect(await migrateSqlite(db, [...MIGRATIONS, NEXT])).toEqual([]);

  expect(schemaOf(db)).toContain("second_half");
});

test("a released migration that was edited is refused", async () => {
  const db = new DatabaseSync(":memory:");
  await migrateSqlite(db, [NEXT]);

  await expect(migrateSqlite(db, [BROKEN])).rejects.toThrow(/is not the one of this Crewroom/);
});

describe.each(TESTED_STORES.filter((kind) => kind === "postgres"))("on %s", () => {
  test("a migration that stops leaves the old schema whole, and nodes that start together apply each step once (P16)", async () => {
    const database = await makeDatabase("postgres");
    const clients = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const client = new pg.Client({ connectionString: database.settings["DATABASE_URL"] });
        await client.connect();
        return client;
      }),
    );
    const [one] = clients;
    if (!one) throw new Error("There is a first client.");

    await expect(migratePostgres(one, [...MIGRATIONS, BROKEN])).rejects.toThrow();
    const half = await one.query("select to_regclass('first_half') as there");
    const applied = await Promise.all(clients.map((client) => migratePostgres(client, [...MIGRATIONS, NEXT])));

    expect(half.rows[0].there).toBeNull();
    expect(applied.flat()).toEqual(["9000-next"]);
    for (const client of clients) await client.end();
    await database.remove();
  });
});

function schemaOf(db: DatabaseSync): string[] {
  return db
    .prepare("select name from sqlite_schema order by name")
    .all()
    .map((row) => String(row["name"]));
}
