import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { HubError } from "../../core/errors.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { askAndSend, press } from "../../testkit/questions.ts";
import { verdictOn } from "../integrity/verdict.ts";
import { beginErasure, renameIn } from "./erasure-queries.ts";
import { erasePerson } from "./erase-person.ts";

const erase = (hub: TestHub, handle = "ben") => erasePerson(hub.hub.store, "main", handle, OPERATOR_AUTHOR);

/** ben writes, answers, asks, holds and administers a little; others speak of him. */
async function fill(hub: TestHub) {
  await hub.seatPeople();
  const ben = hub.as("ben");
  await ben.call("post_message", { body: "my own words" });
  await ben.call("post_message", { body: "taken back" });
  await ben.call("retract_message", { message_id: 2 });
  await hub.as("box1").call("post_message", { body: "thanks @ben" });
  await ben.call("create_task", { title: "mine", claim: true });
  await ben.call("add_note", { task_id: 1, body: "my note" });
  await hub.as("box1").call("create_task", { title: "his", assignee: "ben", responsible: "ben", reviewer: "ben" });
  await ben.call("put_file", { name: "mine.txt", content_base64: "eA==" });
  await ben.call("set_room_info", { description: "as I see it" });
  await ben.call("set_my_profile", { notes: "all about me", name: "Benjamin" });
  await ben.call("whats_new");
  await hub.as("dora").call("grant_room", { user_id: "ben", room: "ops" });
  await hub.as("dora").call("revoke_room", { user_id: "ben", room: "ops" });
  const { approval_id } = await askAndSend(hub, "My answer.", { question: "What do you say?" });
  await press(await hub.browser("ben"), approval_id);
  await ben.call("ask_person", { to_user_id: "cleo", question: "And you?" });
  await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "Still there?" });
  await ben.call("post_message", { body: "still my words" }, { key: "k1" });
}

onEachStore("erasing a person", (start) => {
  test("leaves its name in no table but where others wrote it, and what it wrote as a former member's", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.as("dora").call("deactivate_member", { user_id: "ben" });

    const former = await erase(hub);

    expect(former).toBe("former-member-1");
    expect(await cellsNaming(hub, "ben")).toEqual(["messages.body: thanks @ben", "events.detail: thanks @ben"].sort());
    expect(await cellsNaming(hub, "Benjamin")).toEqual([]);
    const { messages } = await hub.as("box1").call("read_messages");
    expect(messages.map(({ author, body }: { author: string; body: string }) => `${author}: ${body}`)).toEqual([
      `${former}: my own words`,
      `${former}: `,
      "box1: thanks @ben",
      `${former}: still my words`,
    ]);
    expect(await hub.as("box1").call("get_task", { task_id: 1 })).toMatchObject({
      task: { created_by: former, notes: [{ author: former, body: "my note" }] },
    });
    expect(await hub.as("ann").call("search_answers", { query: "answer" })).toMatchObject({
      answers: [{ from_user_id: "ann", answered_by: former, answer: "My answer." }],
    });
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    expect((await hub.eventsOf(null)).at(-1)).toMatchObject({ kind: "member_erased", detail: former });
  });

  test("keeps the handle from everybody else", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.as("dora").call("deactivate_member", { user_id: "ben" });
    await erase(hub);

    const agent = await hub.as("boss").try("create_token", { agent: "ben", room: "lobby" });
    const person = await hub.as("dora").try("invite_person", { user_id: "ben" });

    expect(agent).toMatchObject({ status: 409, code: "handle_taken" });
    expect(person.ok).toBe(false);
  });

  test("is refused for those who are there, for agents and for nobody", async () => {
    await using hub = await start();
    await hub.seatPeople();
    const before = await hub.state();

    for (const handle of ["ben", "box1", "nobody", "zoe"]) await expect(erase(hub, handle)).rejects.toThrow(HubError);

    expect(await hub.state()).toBe(before);
  });

  test("goes on where it was stopped, and numbers the next one", async () => {
    await using hub = await start();
    await fill(hub);
    for (const user_id of ["ben", "cleo"]) await hub.as("dora").call("deactivate_member", { user_id });
    await hub.hub.store.write("main", async (tx) => {
      const begun = await beginErasure(tx, "main", "ben");
      if (begun) await renameIn(tx, begun, "tasks");
    });

    const names = [await erase(hub, "ben"), await erase(hub, "cleo")];

    expect(names).toEqual(["former-member-1", "former-member-2"]);
    expect(await cellsNaming(hub, "cleo")).toEqual([]);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
  });
});

/** Every text of the database that has a word, as `table.column: text`; of the search index its marks too. */
async function cellsNaming(hub: TestHub, word: string): Promise<string[]> {
  const naming = new RegExp(`(?<![\\w-])${word}(?![\\w-])`);
  const rows = hub.kind === "sqlite" ? sqliteRows(hub) : await postgresRows(hub);
  return rows
    .flatMap(([table, row]) =>
      Object.entries(row).flatMap(([column, value]) =>
        typeof value === "string" && naming.test(value) ? [`${table}.${column}: ${value}`] : [],
      ),
    )
    .filter((cell) => !cell.startsWith("search_index.words: ") || cell.includes(`@${word}`))
    .filter((cell) => !(cell.startsWith("search_index.words: ") && cell.includes("thanks")))
    .sort();
}

type Rows = [string, Record<string, unknown>][];

function sqliteRows({ database }: TestHub): Rows {
  const db = new DatabaseSync(database["CREWROOM_DB"] ?? "", { readOnly: true });
  const tables = db
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'search_index_%'")
    .all();
  const rows = tables.flatMap(({ name }) =>
    db
      .prepare(`select * from ${String(name)}`)
      .all()
      .map((row): Rows[number] => [String(name), row]),
  );
  db.close();
  return rows;
}

async function postgresRows({ database }: TestHub): Promise<Rows> {
  const client = new pg.Client({ connectionString: database["DATABASE_URL"] });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const rows: Rows = [];
  for (const { name } of tables.rows)
    for (const row of (await client.query<Record<string, unknown>>(`select * from ${name}`)).rows)
      rows.push([name, row]);
  await client.end();
  return rows;
}
