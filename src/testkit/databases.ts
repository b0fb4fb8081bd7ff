import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migratePostgres, MIGRATIONS } from "../store/migrate.ts";

export type StoreKind = "sqlite" | "postgres";

/** An empty database of its own for one test. */
export interface TestDatabase {
  /** What the hub's settings need to find it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

/** Which stores this run tests: `CREWROOM_TEST_STORES`, by commas; both unless set. */
export const TESTED_STORES: readonly StoreKind[] = (process.env["CREWROOM_TEST_STORES"] ?? "sqlite,postgres")
  .split(",")
  .filter((kind): kind is StoreKind => kind === "sqlite" || kind === "postgres");

export function makeDatabase(kind: StoreKind): Promise<TestDatabase> {
  return kind === "sqlite" ? makeFile() : makePostgres();
}

async function makeFile(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-test-"));
  return {
    settings: { CREWROOM_DB: join(folder, "crewroom.db"), DATABASE_URL: "" },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function makePostgres(): Promise<TestDatabase> {
  const admin = adminUrl();
  const template = await ensureTemplate(admin);
  const name = `test_${randomBytes(8).toString("hex")}`;
  await asAdmin(admin, (client) => client.query(`create database ${name} template ${template}`));
  return {
    settings: { DATABASE_URL: databaseUrl(admin, name) },
    remove: () =>
      asAdmin(admin, async (client) => void (await client.query(`drop database if exists ${name} with (force)`))),
  };
}

/** A migrated database that others are copied from: copying takes a tenth of migrating. */
let template: Promise<string> | undefined;
function ensureTemplate(admin: string): Promise<string> {
  template ??= asAdmin(admin, async (client) => {
    const name = `template_${createHash("sha256").update(JSON.stringify(MIGRATIONS)).digest("hex").slice(0, 16)}`;
    // Several test workers come here at once.
    await client.query("select pg_advisory_lock(4711)");
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (!rowCount) {
      await client.query(`create database ${name}_making`);
      await asAdmin(databaseUrl(admin, `${name}_making`), (made) => migratePostgres(made));
      await client.query(`alter database ${name}_making rename to ${name}`);
    }
    await client.query("select pg_advisory_unlock(4711)");
    return name;
  });
  return template;
}

async function asAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function adminUrl(): string {
  const url = process.env["CREWROOM_TEST_POSTGRES_URL"];
  if (!url)
    throw new Error("CREWROOM_TEST_POSTGRES_URL is not set: run the tests with npm test, which starts a Postgres.");
  return url;
}

function databaseUrl(admin: string, name: string): string {
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}
