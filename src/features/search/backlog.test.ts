import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { indexWhatIsThere } from "../../housekeeping.ts";
import { migratePostgres, migrateSqlite, MIGRATIONS } from "../../store/migrate.ts";
import { openPostgres } from "../../store/postgres.ts";
import { openSqlite } from "../../store/sqlite.ts";
import type { Store } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";
import { makeDatabase, type StoreKind, TESTED_STORES, type TestDatabase } from "../../testkit/databases.ts";
import { findTexts } from "./queries.ts";

const BEFORE = MIGRATIONS.slice(
  0,
  MIGRATIONS.findIndex(({ name }) => name === "0006-search-and-retention"),
);

/** What a hub without this search had, at moments that are not in the order of the numbers. */
const ROWS = [
  `insert into organizations (id, name, created_at) values ('main', 'Main', 1), ('other', 'Other', 1)`,
  `insert into logs (organization, epoch, position, last_room, last_question) values ('main', 'epoch0000000', 0, 1, 1), ('other', 'epoch0000001', 0, 1, 0)`,
  `insert into members (organization, handle, kind, display_name, created_at) values ('main', 'ann', 'person', 'Ann', 1), ('main', 'ben', 'person', 'Ben', 1)`,
  `insert into rooms (organization, id, name, created_at, created_by, last_message, last_task) values ('main', 1, 'lobby', 1, 'ann', 3, 1), ('other', 1, 'lobby', 1, 'zoe', 1, 0)`,
  `insert into messages (organization, room, number, author, at, body, thread, retracted_at) values
    ('main', 1, 1, 'ann', 100, 'old poller', 1, null), ('main', 1, 2, 'ann', 500, 'new poller', 2, null),
    ('main', 1, 3, 'ann', 900, 'taken back poller', 3, 901), ('other', 1, 1, 'zoe', 300, 'their poller', 1, null)`,
  `insert into tasks (organization, room, number, title, body, status, priority, labels, links, version, created_by, created_at, updated_at)
    values ('main', 1, 1, 'Host the poller', '', 'pending', 2, '["ops"]', '[]', 1, 'ann', 200, 950)`,
  `insert into notes (organization, room, task, number, author, at, body) values ('main', 1, 1, 1, 'ann', 400, 'poller moved')`,
  `insert into files (organization, room, number, name, mime, size, sha256, author, at) values ('main', 1, 1, 'poller.txt', 'text/plain', 1, 'x', 'ann', 450)`,
  `insert into questions (organization, number, asker, recipient, asked_by, question, state, thread, created_at, expires_at, closed_at, answer, answered_at)
    values ('main', 1, 'ann', 'ben', 'ann', 'Which poller?', 'answered', 1, 1, 2, 350, 'The old one.', 350)`,
];

describe.each(TESTED_STORES)("texts from before there was this search (%s)", (kind) => {
  test("are found after the upgrade in the order of their times, each organization's apart", async () => {
    const database = await makeDatabase(kind);
    await makeOld(kind, database);
    const store = await openStoreOf(kind, database);
    const found = async (organization: string) => {
      const query = {
        organization,
        kinds: ["message", "task", "note", "file", "answer"],
        finders: ["#1", "@ann"],
        words: wordsOf("poller", "asked"),
        which: "all",
        limit: 20,
      } as const;
      return (await store.read((tx) => findTexts(tx, query))).map((text) => `${text.kind} ${text.id}`);
    };

    const before = await found("main");
    await indexWhatIsThere({ store }, new AbortController().signal);
    const after = [await found("main"), await found("other")];
    await store.close();
    await database.remove();

    expect(before).toEqual([]);
    expect(after).toEqual([["message 2", "file 1", "note 1.1", "answer 1", "task 1", "message 1"], ["message 1"]]);
  });
});

/** Makes a database as it was before the step, with rows in it, and brings it to the newest schema. */
async function makeOld(kind: StoreKind, { settings }: TestDatabase): Promise<void> {
  if (kind === "sqlite") {
    const db = new DatabaseSync(settings["CREWROOM_DB"] ?? "");
    await migrateSqlite(db, BEFORE);
    for (const statement of ROWS) db.exec(statement);
    await migrateSqlite(db);
    return db.close();
  }
  const client = new pg.Client({ connectionString: settings["DATABASE_URL"] });
  await client.connect();
  await client.query("drop schema public cascade");
  await client.query("create schema public");
  await migratePostgres(client, BEFORE);
  for (const statement of ROWS) await client.query(statement);
  await migratePostgres(client);
  await client.end();
}

function openStoreOf(kind: StoreKind, { settings }: TestDatabase): Promise<Store> {
  return kind === "sqlite"
    ? openSqlite({ path: settings["CREWROOM_DB"] ?? "" })
    : openPostgres({ url: settings["DATABASE_URL"] ?? "", trustServer: true });
}
