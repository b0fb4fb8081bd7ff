import pg from "pg";
import {
  addWishes,
  type Committer,
  type Job,
  noWishes,
  openDoor,
  type Outcome,
  runWork,
  settleAll,
  type TxView,
  type Wishes,
  withoutWishes,
  writeLeft,
} from "./door.ts";
import { migratePostgres } from "./migrate.ts";
import { hearOtherNodes } from "./postgres-wakes.ts";
import { isStatementTrouble, statementNames } from "./postgres-names.ts";
import { refuseUnsafeServer } from "./postgres-safety.ts";
import {
  asStoreError,
  isConnectionTrouble,
  isDatabaseTrouble,
  isRefusal,
  isWorthAnotherTry,
} from "./postgres-trouble.ts";
import { POSTGRES_SEARCH } from "./search.ts";
import { type Sql, textWriter } from "./sql.ts";
import {
  type Clock,
  MAX_BATCH,
  REAL_TIME,
  type Store,
  StoreError,
  StoreSetupError,
  type Tx,
  wakeList,
} from "./store.ts";

/** How a Postgres store is opened. `directUrl` is an unpooled address for LISTEN; without one, `url` is tried. */
export interface PostgresOptions {
  url: string;
  directUrl?: string | undefined;
  clock?: Readonly<Clock>;
  /** Connections of this node at most. */
  connections?: number;
  /** Take a server whose settings could lose acknowledged writes; only tests do. */
  trustServer?: boolean;
}

// Counts and moments are below 2^53, so they are read as numbers.
const NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};
const NOW = "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
const writeText = textWriter((index) => `$${index}`);
const names = statementNames();

/**
 * Opens (and migrates) a store on Postgres: READ COMMITTED, conditional writes, one batch at a time per organization and node.
 *
 * @throws StoreSetupError when the server is not reachable or its settings could lose acknowledged writes.
 */
export async function openPostgres({
  url,
  directUrl,
  clock = REAL_TIME,
  connections = 20,
  trustServer = false,
}: PostgresOptions): Promise<Store> {
  const pool = makePool(url, connections);
  try {
    const client = await pool.connect();
    try {
      if (!trustServer) await refuseUnsafeServer(client);
      await migratePostgres(client);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    const trouble = isConnectionTrouble(error) ? "is not reachable" : isRefusal(error) ? "refuses" : undefined;
    if (error instanceof StoreSetupError || trouble === undefined) throw error;
    throw new StoreSetupError(`Postgres at ${new URL(url).host} ${trouble}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  return postgresStore(pool, directUrl ?? url, clock);
}

async function postgresStore(pool: pg.Pool, listenUrl: string, clock: Readonly<Clock>): Promise<Store> {
  const wakes = wakeList();
  const others = await hearOtherNodes({ pool, listenUrl, heard: wakes.wake });
  const commits = groupCommits(pool, clock, (organization) => {
    wakes.wake(new Set([organization]));
    others.tell(organization);
  });
  const door = openDoor(commits);
  return {
    kind: "postgres",
    onWake: wakes.add,
    hears: others.hears,
    write: door.write,
    read: (work) => readSnapshot(pool, clock, work),
    async ping() {
      return (await pool.query("select 1")).rowCount === 1;
    },
    async close() {
      await door.close();
      await others.stop();
      await pool.end();
    },
  };
}

async function readSnapshot<T>(pool: pg.Pool, clock: Readonly<Clock>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  try {
    const started = `begin transaction isolation level repeatable read read only; select ${NOW} as now`;
    const { view } = transaction(client, (await rowsOfLast(client, started))[0], clock);
    const value = await work(withoutWishes(view));
    // There is nothing to lose in it, so the answer does not wait for its end.
    client.query("commit").then(
      () => client.release(),
      () => client.release(true),
    );
    return value;
  } catch (error) {
    await giveBack(client, error);
    if (names.areRefusedBy(error)) return readSnapshot(pool, clock, work);
    throw isConnectionTrouble(error) ? new StoreError("away", error) : error;
  }
}

/** Writes of one organization queue here and share a commit, so that the hot row of its log is locked once per batch. */
function groupCommits(pool: pg.Pool, clock: Readonly<Clock>, committed: (organization: string) => void): Committer {
  const queues = new Map<string, { waiting: Job[]; running: Promise<void> }>();

  async function drain(organization: string, waiting: Job[]) {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
      const fate = await commitTogether(organization, batch, "bare");
      const again = fate === "mixed" ? await commitTogether(organization, batch, "in savepoints") : fate;
      if (again === "given up") for (const job of batch) await commitTogether(organization, [job], "alone");
    }
    queues.delete(organization);
  }

  /** Unless the batch is settled, nothing of it was kept and it may be run again. */
  async function commitTogether(organization: string, batch: readonly Job[], how: How): Promise<Fate> {
    let committing = false;
    let client: pg.PoolClient | undefined;
    let done: { outcomes: readonly Outcome[]; wishes: Wishes };
    try {
      client = await connect(pool);
      done = await runBatch({ client, organization, batch, how, clock });
      committing = true;
      const { command } = await client.query("commit");
      if (command !== "COMMIT") throw new Error(`Postgres answered a commit with ${command}.`);
      client.release();
    } catch (error) {
      if (client) await giveBack(client, error);
      if (error === MIXED) return "mixed";
      if (names.areRefusedBy(error)) return commitTogether(organization, batch, how);
      if (!committing && how !== "alone" && isWorthAnotherTry(error)) return "given up";
      const cut = isConnectionTrouble(error);
      settleAll(batch, { error: cut ? new StoreError(committing ? "unknown" : "away", error) : asStoreError(error) });
      return "settled";
    }
    if (done.wishes.woken.size > 0) committed(organization);
    settleAll(batch, done.outcomes);
    return "settled";
  }

  return {
    enqueue(job) {
      const queue = queues.get(job.organization);
      if (queue) return void queue.waiting.push(job);
      const entry = { waiting: [job], running: Promise.resolve() };
      queues.set(job.organization, entry);
      entry.running = drain(job.organization, entry.waiting);
    },
    idle: async () => void (await Promise.all([...queues.values()].map((queue) => queue.running))),
  };
}

/**
 * How the jobs of a batch are kept apart. Mostly each succeeds, or refuses before it wrote anything, and then nothing need
 * keep them apart: a savepoint for each costs a round trip for each.
 */
type How = "bare" | "in savepoints" | "alone";

/** What became of a batch. `mixed`: one failed after it had written. `given up`: by the database, for a deadlock or a cut connection. */
type Fate = "settled" | "mixed" | "given up";

const MIXED = new Error("A job failed after it had written.");

interface Batch {
  readonly client: pg.PoolClient;
  readonly organization: string;
  readonly batch: readonly Job[];
  readonly how: How;
  readonly clock: Readonly<Clock>;
}

/** Locks the organization's counter row first (a new organization has none yet), then runs the jobs. */
async function runBatch({ client, organization, batch, how, clock }: Batch) {
  const lock = `begin; select ${NOW} as now from logs where organization = ${pg.escapeLiteral(organization)} for update`;
  const started = (await rowsOfLast(client, lock))[0] ?? (await client.query(`select ${NOW} as now`)).rows[0];
  const { view, written } = transaction(client, started, clock);
  const savepoints = how === "in savepoints";
  const outcomes: Outcome[] = [];
  const wishes = noWishes();
  for (const [index, job] of batch.entries()) {
    const before = written();
    // One round trip ends the last savepoint and begins the next.
    if (savepoints) await client.query(index === 0 ? "savepoint job" : "release savepoint job; savepoint job");
    try {
      const { value, wishes: more } = await runWork(job, view);
      outcomes.push({ value });
      addWishes(wishes, more);
    } catch (error) {
      if (isConnectionTrouble(error) || isDatabaseTrouble(error) || isStatementTrouble(error)) throw error;
      outcomes.push({ error });
      if (savepoints) await client.query("rollback to savepoint job");
      else if (batch.length === 1) await client.query("rollback; begin");
      // After an error of its own Postgres takes nothing more in the transaction.
      else if (written() > before || error instanceof pg.DatabaseError) throw MIXED;
    }
  }
  await writeLeft(wishes, view);
  return { outcomes, wishes };
}

/** A transaction, and how many rows it wrote so far. */
export function transaction(client: pg.ClientBase, started: { now: number } | undefined, clock: Readonly<Clock>) {
  let written = 0;
  const query = async (statement: Sql) => {
    const text = writeText(statement);
    const result = await client.query({ ...names.of(text), text, values: [...statement.values], types: NUMBERS });
    if (result.command !== "SELECT") written += result.rowCount ?? 0;
    return result;
  };
  const view: TxView = {
    now: Number(started?.now) + clock.offset,
    search: POSTGRES_SEARCH,
    all: async <Row>(statement: Sql) => (await query(statement)).rows as Row[],
    one: async <Row>(statement: Sql) => (await query(statement)).rows[0] as Row | undefined,
    run: async (statement) => (await query(statement)).rowCount ?? 0,
  };
  return { view, written: () => written };
}

function makePool(url: string, connections: number) {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    options:
      "-c timezone=UTC -c lock_timeout=4000 -c idle_in_transaction_session_timeout=5000 -c statement_timeout=15000",
    types: NUMBERS,
  });
  // Without a listener, an error on a connection, be it idle or between two queries, ends the whole process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function connect(pool: pg.Pool) {
  try {
    return await pool.connect();
  } catch (error) {
    throw new StoreError("away", error);
  }
}

async function giveBack(client: pg.PoolClient, error: unknown) {
  if (isConnectionTrouble(error)) return client.release(true);
  await client.query("rollback").then(
    () => client.release(),
    () => client.release(true),
  );
}

async function rowsOfLast(client: pg.PoolClient, statements: string): Promise<{ now: number }[]> {
  // Several statements in one text come back as one result each, which the library's types do not say.
  const results = (await client.query(statements)) as unknown as pg.QueryResult[];
  return results.at(-1)?.rows ?? [];
}
