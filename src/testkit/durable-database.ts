import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startPostgres } from "../../test/postgres.mjs";
import type { Environment } from "./command.ts";
import type { StoreKind } from "./databases.ts";

/** An empty database for processes of their own. On Postgres they want settings that lose nothing, which the tests' own lacks. */
export async function makeDurableDatabase(kind: StoreKind): Promise<{ environment: Environment } & AsyncDisposable> {
  if (kind === "sqlite") {
    const folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
    return {
      environment: { CREWROOM_DB: join(folder, "new/crewroom.db") },
      [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const postgres = await startPostgres({ durable: true });
  const name = `cli_${randomBytes(4).toString("hex")}`;
  const admin = new pg.Client({ connectionString: postgres.url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return {
    environment: { DATABASE_URL: url.href, CREWROOM_SECRET_KEY: "the same on every node, long enough" },
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}
