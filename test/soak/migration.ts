import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import pg from "pg";
import { migratePostgres } from "../../src/store/migrate.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { ask, type Kind, makeDatabase, type PostgresServer } from "./arena.ts";
import { bundle } from "./build.ts";

interface Killable {
  readonly place: string;
  /** Every table with its columns and indexes, as text. */
  schema(): Promise<string>;
  /** As the next start does. */
  migrate(): Promise<void>;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

const NEXT_START_EVERY = 8;

/**
 * Kills a migration before each of its statements, in turn. What is there then is the old schema or the new one, and the next
 * start ends with the new one.
 */
export async function migrationIsWhole(kind: Kind, postgres: PostgresServer | undefined): Promise<string[]> {
  const script = await bundle("migrating.ts", "migrating");
  const database = kind === "sqlite" ? await killableFile() : await killablePostgres(postgres);
  try {
    const statements = Number(await run(script, kind, database.place, 0));
    const whole = await database.schema();
    if (!(statements > 20)) return [`only ${statements} statements were seen: that shows nothing`];
    const problems: string[] = [];
    await database.empty();
    for (let dieAt = 1; dieAt <= statements && problems.length < 5; dieAt++) {
      const said = await run(script, kind, database.place, dieAt);
      if (said !== undefined) problems.push(`statement ${dieAt}: it was not killed`);
      const left = await database.schema();
      if (left !== "" && left !== whole) problems.push(`statement ${dieAt}: half a schema was left`);
      // Where nothing was left, the next start is the first one, and the next kill's run is that start.
      if (left === "" && dieAt % NEXT_START_EVERY !== 0) continue;
      await database.migrate();
      if ((await database.schema()) !== whole)
        problems.push(`statement ${dieAt}: the next start did not end with the whole schema`);
      await database.empty();
    }
    return problems;
  } finally {
    await database.remove();
  }
}

/** What it printed; nothing when it was killed. */
function run(script: string, kind: Kind, place: string, dieAt: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [script, kind, place, String(dieAt)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL") resolve(undefined);
      else if (code === 0) resolve(said.trim());
      else reject(new Error(`The migration ended with ${code ?? signal}.`));
    });
  });
}

async function killableFile(): Promise<Killable> {
  const { place, rows, remove } = await makeDatabase("sqlite", undefined);
  return {
    place,
    async schema() {
      const made = await rows<{ sql: string | null }>("select sql from sqlite_schema order by name");
      return made.map(({ sql }) => sql).join("\n");
    },
    async migrate() {
      await (await openSqlite({ path: place })).close();
    },
    async empty() {
      for (const file of [place, `${place}-wal`, `${place}-shm`]) rmSync(file, { force: true });
    },
    remove,
  };
}

async function killablePostgres(postgres: PostgresServer | undefined): Promise<Killable> {
  const { place, rows, remove } = await makeDatabase("postgres", postgres);
  return {
    place,
    async schema() {
      const columns = await rows<object>(`
        select table_name, column_name, data_type, is_nullable, column_default
        from information_schema.columns
        where table_schema = 'public'
        order by table_name, ordinal_position`);
      const indexes = await rows<object>(
        "select indexdef from pg_indexes where schemaname = 'public' order by indexname",
      );
      return [...columns, ...indexes].map((row) => JSON.stringify(row)).join("\n");
    },
    async migrate() {
      const client = new pg.Client({ connectionString: place });
      await client.connect();
      await migratePostgres(client);
      await client.end();
    },
    empty: async () => void (await ask(place, "drop schema public cascade; create schema public")),
    remove,
  };
}
