// Opens a store, which migrates it, and dies with SIGKILL before the n-th statement. Says how many statements there were
// when it got that far.
import { DatabaseSync, StatementSync } from "node:sqlite";
import pg from "pg";
import { migratePostgres } from "../../src/store/migrate.ts";
import { openSqlite } from "../../src/store/sqlite.ts";

const [kind, place = "", dieAt] = process.argv.slice(2);
let statements = 0;

function count() {
  statements += 1;
  if (statements === Number(dieAt)) process.kill(process.pid, "SIGKILL");
}

// The library's methods have several signatures; what is passed on is what was given.
type AnyMethod = (...args: unknown[]) => unknown;

function counting<Name extends string>(owner: Record<Name, unknown>, name: Name) {
  const method = owner[name] as AnyMethod;
  owner[name] = function (this: unknown, ...args: unknown[]) {
    count();
    return method.apply(this, args);
  };
}

if (kind === "sqlite") {
  counting(DatabaseSync.prototype, "exec");
  counting(StatementSync.prototype, "run");
  const store = await openSqlite({ path: place });
  await store.close();
} else {
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  counting(pg.Client.prototype, "query");
  await migratePostgres(client);
  await client.end();
}
process.stdout.write(`${statements}\n`);
