import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { liveALittle } from "../../testkit/lively.ts";
import { verdictOn } from "./verdict.ts";

/** What a digest covers: of each table the columns, and which rows. */
const COVERED: Readonly<Record<string, { columns: readonly string[]; where?: string }>> = {
  events: {
    columns:
      "organization position room at kind actor task message file question detail concerns credential address content_hash hash pruned_at redacted_at".split(
        " ",
      ),
    where: "redacted_at is null",
  },
  messages: {
    columns: [
      "organization",
      "room",
      "number",
      "author",
      "at",
      "body",
      "reply_to",
      "thread",
      "retracted_at",
      "retracted_by",
    ],
  },
  questions: { columns: ["number", "question", "answer", "state"], where: "state <> 'pending'" },
  drafts: { columns: ["text"], where: "question = 1" },
  approvals: { columns: ["hash", "nonce", "person", "state", "proof"], where: "state = 'approved'" },
  files: { columns: ["organization", "room", "number", "size", "sha256", "author", "at"] },
  file_parts: { columns: ["room", "file", "part", "sha256", "bytes"] },
};

onEachStore("verify", (start, kind) => {
  test("finds nothing wrong in what was only used, and counts what it saw", async () => {
    await using hub = await start();
    await liveALittle(hub);

    const { looked, problems } = await verdictOn(hub.hub.store);

    expect(problems).toEqual([]);
    expect(looked).toMatchObject({ organizations: 2, messages: 3, questions: 2, answers: 1, files: 1 });
    expect(looked.events).toBeGreaterThan(15);
  });

  test("finds any bit that was changed in events, messages, answers and files (P14)", async () => {
    await using hub = await start();
    await liveALittle(hub);
    await using raw = await openRaw(hub);
    const cells = await cellsOf(raw);
    expect(cells.length).toBeGreaterThan(200);

    await fc.assert(
      fc.asyncProperty(fc.nat(cells.length - 1), fc.nat(), async (at, bit) => {
        const cell = cells[at];
        if (!cell) throw new Error("There is a cell at every place.");
        const changed = flipBit(cell.value, bit);
        if (!(await set(raw, cell, cell.value, changed))) return;
        const { problem_count } = await verdictOn(hub.hub.store);
        await set(raw, cell, changed, cell.value);
        const { table, column, key, value } = cell;
        expect(
          problem_count,
          `${table}.${column} of ${JSON.stringify(key)}: ${String(value)} → ${String(changed)}`,
        ).not.toBe(0);
      }),
      { numRuns: kind === "sqlite" ? 300 : 100, endOnFailure: true },
    );

    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
  });

  test("finds a row that was removed, and one that was put in", async () => {
    await using hub = await start();
    await liveALittle(hub);
    await using raw = await openRaw(hub);
    const problemsAfter = async (statement: string) => {
      await raw.run(statement);
      return (await verdictOn(hub.hub.store)).problems.map(({ what, problem }) => `${what} ${problem}`);
    };

    const message = await problemsAfter("delete from messages where organization = 'main' and number = 2");
    const question = await problemsAfter("delete from questions where organization = 'main' and number = 2");
    const event = await problemsAfter("delete from events where organization = 'main' and position = 3");
    const last = await problemsAfter("update logs set position = position + 2 where organization = 'main'");
    const put = await problemsAfter(
      "insert into messages (organization, room, number, author, at, body, thread) values ('main', 1, 2, 'box1', 5, 'never said', 2)",
    );

    expect(message).toEqual([expect.stringMatching(/^event \d+ tells of a message that is missing$/)]);
    expect(question).toEqual(expect.arrayContaining([expect.stringMatching(/tells of a question that is missing$/)]));
    expect(event).toEqual(expect.arrayContaining(["event 3 is missing"]));
    expect(last).toEqual(expect.arrayContaining([expect.stringMatching(/^event \d+ is missing, as are all to \d+$/)]));
    expect(put).toEqual(expect.arrayContaining(["m2 of room 1 its text is not what was posted"]));
  });
});

type Value = string | number | null | Uint8Array;
type Row = Readonly<Record<string, Value>>;

/** One value of one row, with the key by which the row is found. */
interface Cell {
  readonly table: string;
  readonly column: string;
  readonly key: Row;
  readonly value: Value;
}

const KEYS: Readonly<Record<keyof typeof COVERED, readonly string[]>> = {
  events: ["organization", "position"],
  messages: ["organization", "room", "number"],
  questions: ["organization", "number"],
  drafts: ["organization", "question", "revision"],
  approvals: ["organization", "id"],
  files: ["organization", "room", "number"],
  file_parts: ["organization", "room", "file", "part"],
};

/** The database itself, past the hub and past every reference between tables. */
interface Raw extends AsyncDisposable {
  rows(statement: string): Promise<Row[]>;
  run(statement: string, values?: readonly Value[]): Promise<unknown>;
}

async function openRaw({ kind, database }: TestHub): Promise<Raw> {
  if (kind === "sqlite") {
    const db = new DatabaseSync(database["CREWROOM_DB"] ?? "", { enableForeignKeyConstraints: false, timeout: 5_000 });
    return {
      rows: async (statement) => db.prepare(statement).all() as Row[], // what SQLite stores
      run: async (statement, values = []) => db.prepare(statement.replaceAll(/\$\d+/g, "?")).run(...values),
      [Symbol.asyncDispose]: async () => db.close(),
    };
  }
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  const client = new pg.Client({ connectionString: database["DATABASE_URL"], types });
  await client.connect();
  await client.query("set session_replication_role = replica");
  return {
    rows: async (statement) => (await client.query<Row>(statement)).rows,
    run: (statement, values = []) => client.query(statement, [...values]),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** False when the database does not take it: another row has that key. */
async function set(raw: Raw, { table, column, key }: Cell, from: Value, to: Value): Promise<boolean> {
  const found = Object.entries({ ...key, ...(column in key && { [column]: from }) });
  const condition = found.map(([name], at) => `${name} = $${at + 2}`).join(" and ");
  try {
    await raw.run(`update ${table} set ${column} = $1 where ${condition}`, [to, ...found.map(([, value]) => value)]);
    return true;
  } catch (error) {
    if (/unique|not null|not-null/i.test(String(error))) return false;
    throw error;
  }
}

async function cellsOf(raw: Raw): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const [table, { columns, where = "1 = 1" }] of Object.entries(COVERED)) {
    const keys = KEYS[table] ?? [];
    for (const row of await raw.rows(`select * from ${table} where ${where} order by ${keys.join(", ")}`)) {
      const key = Object.fromEntries(keys.map((name) => [name, row[name] ?? null]));
      for (const column of columns) cells.push({ table, column, key, value: row[column] ?? null });
    }
  }
  return cells;
}

/** Another value of the same kind; where there is none, one that both kinds of columns take. */
function flipBit(value: Value, bit: number): Value {
  if (value === null) return "1";
  if (typeof value === "number")
    return value % (2 << (bit % 20)) >= 1 << (bit % 20) ? value - (1 << (bit % 20)) : value + (1 << (bit % 20));
  if (value instanceof Uint8Array)
    return Buffer.from(value).map((byte, at) => (at === bit % value.length ? byte ^ (1 << (bit % 8)) : byte));
  const at = bit % Math.max(1, value.length);
  return `${value.slice(0, at)}${String.fromCharCode((value.charCodeAt(at) || 48) ^ 1)}${value.slice(at + 1)}`;
}
