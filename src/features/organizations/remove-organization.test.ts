import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { migrateSqlite } from "../../store/migrate.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { liveALittle } from "../../testkit/lively.ts";
import { followStream } from "../../testkit/stream.ts";
import { closeOrganization, REST } from "./removal-queries.ts";
import { removeOrganization } from "./remove-organization.ts";

onEachStore("an organization that is removed", (start) => {
  test("leaves no row in any table, and the others as they were", async () => {
    await using hub = await start();
    await liveALittle(hub);
    await hub.as("box1").call("search", { query: "anything" });
    const before = await rowsOf(hub, "other");
    const held = await rowsOf(hub, "main");

    await removeOrganization(hub.hub.store, "main", "operator");

    expect(Object.keys(held).length).toBeGreaterThan(20);
    expect(await rowsOf(hub, "main")).toEqual({});
    expect(await rowsOf(hub, "other")).toEqual(before);
    expect(await hub.as("ruler").call("list_rooms")).toMatchObject({ count: 2 });
  });

  test("lets nobody in any more, on open streams neither", async () => {
    await using hub = await start();
    await using stream = await followStream(hub, "box2", "?after=now");

    await removeOrganization(hub.hub.store, "main", "operator");
    hub.later({ seconds: 2 });
    await stream.ended();
    const replies = [await hub.as("box1").try("list_rooms"), await hub.as("boss").try("instance_state")];

    for (const reply of replies) expect(reply).toMatchObject({ status: 401 });
  });

  test("is refused when there is none, and goes on where it was stopped", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.hub.store.write("main", (tx) => closeOrganization(tx, "main", "operator"));

    await removeOrganization(hub.hub.store, "main", "operator");

    expect(await rowsOf(hub, "main")).toEqual({});
    await expect(removeOrganization(hub.hub.store, "main", "operator")).rejects.toMatchObject({
      code: "organization_not_found",
    });
  });
});

test("every table goes with its organization: by name, or with its room", async () => {
  const db = new DatabaseSync(":memory:");
  await migrateSqlite(db);
  const tables = db
    .prepare(
      `select t.name from sqlite_schema t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'search_index%' and c.name = 'organization'`,
    )
    .all()
    .map((row) => String(row["name"]));
  const parentsOf = (table: string) =>
    db
      .prepare("select \"table\" as parent from pragma_foreign_key_list(?) where on_delete = 'CASCADE'")
      .all(table)
      .map((row) => String(row["parent"]));
  const goesWithRoom = (table: string): boolean =>
    table === "rooms" || parentsOf(table).some((parent) => parent !== table && goesWithRoom(parent));

  const named: readonly string[] = [...REST, "events", "personal_events"];
  expect(tables.length).toBeGreaterThan(25);
  expect(tables.filter((table) => !named.includes(table) && !goesWithRoom(table))).toEqual([]);
});

/** How many rows each table of the schema has of an organization; those without any are left out. */
async function rowsOf(hub: TestHub, organization: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [table, column] of await columnsOf(hub)) {
    const row = await hub.hub.store.read((tx) =>
      tx.one<{ count: number }>({
        texts: [`select count(*) as count from ${table} where ${column} = `, ""],
        values: [organization],
      }),
    );
    if (Number(row?.count) > 0) counts[table] = Number(row?.count);
  }
  return counts;
}

/** Every table that says of which organization its rows are, by its own schema, with the column that does. */
async function columnsOf({ kind, database }: TestHub): Promise<[string, string][]> {
  const tables =
    kind === "sqlite"
      ? sqliteTables(database["CREWROOM_DB"] ?? "")
      : await postgresTables(database["DATABASE_URL"] ?? "");
  return [...tables.map((table): [string, string] => [table, "organization"]), ["organizations", "id"]];
}

function sqliteTables(path: string): string[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db
    .prepare(
      `select t.name from sqlite_schema t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'search_index_%' and c.name = 'organization'`,
    )
    .all();
  db.close();
  return rows.map((row) => String(row["name"]));
}

async function postgresTables(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ table_name: string }>(
    "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'organization'",
  );
  await client.end();
  return rows.map((row) => row.table_name);
}
