import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
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
  writeLeft,
} from "./door.ts";
import { migrateSqlite } from "./migrate.ts";
import { groupReads } from "./sqlite-reads.ts";
import { transactions } from "./sqlite-statements.ts";
import { type Clock, MAX_BATCH, REAL_TIME, type Store, StoreError, StoreSetupError, wakeList } from "./store.ts";

/** Versions before it can corrupt a database when two processes checkpoint at once: the WAL-reset bug, sqlite.org/wal.html. */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;
/** How long (ms) a write waits for another process's write before it is refused. */
const BUSY_PATIENCE = 5_000;
/** How often (ms) other processes' commits are looked for, so that what the command line writes wakes readers. */
const OTHERS_POLL = 500;

/** How a SQLite store is opened. `exclusive`: be the one server of this file. */
export interface SqliteOptions {
  path: string;
  exclusive?: boolean;
  clock?: Readonly<Clock>;
}

/**
 * Opens (and makes, and migrates) a store in one file: WAL, `synchronous=FULL`, so that a commit survives a power cut.
 *
 * @throws StoreSetupError when the folder is not writable, SQLite is too old, or another server has the file.
 */
export async function openSqlite({ path, exclusive = false, clock = REAL_TIME }: SqliteOptions): Promise<Store> {
  refuseOldSqlite();
  makeFolder(path);
  const lock = exclusive ? lockFile(path) : undefined;
  try {
    const writer = openFile(path);
    await migrateSqlite(writer);
    const reader = new DatabaseSync(path, { timeout: BUSY_PATIENCE });
    reader.exec("pragma query_only = on; pragma trusted_schema = off");
    return sqliteStore(writer, reader, lock, clock);
  } catch (error) {
    lock?.close();
    throw error;
  }
}

function sqliteStore(
  writer: DatabaseSync,
  reader: DatabaseSync,
  lock: DatabaseSync | undefined,
  clock: Readonly<Clock>,
): Store {
  const wakes = wakeList();
  const reads = groupReads(reader, clock);
  const door = openDoor(groupCommits(writer, clock, wakes.wake));
  const stopLooking = lookForOthers(writer, () => wakes.wake("all"));
  return {
    kind: "sqlite",
    onWake: wakes.add,
    hears: () => true,
    write: door.write,
    read: reads.read,
    async ping() {
      return reader.prepare("select 1 as one").get() !== undefined;
    },
    async close() {
      stopLooking();
      await door.close();
      await reads.close();
      reader.close();
      writer.close();
      lock?.close();
    },
  };
}

/** Commits jobs that wait in one transaction, each in its own savepoint. */
function groupCommits(
  db: DatabaseSync,
  clock: Readonly<Clock>,
  wake: (organizations: ReadonlySet<string>) => void,
): Committer {
  const { begin } = transactions(db, clock);
  const waiting: Job[] = [];
  let running: Promise<void> | undefined;

  async function drain() {
    while (waiting.length > 0) {
      await nextTurn();
      const batch = waiting.splice(0, MAX_BATCH);
      await commitTogether(batch);
    }
    running = undefined;
  }

  async function commitTogether(batch: readonly Job[]) {
    const outcomes: Outcome[] = [];
    const wishes = noWishes();
    const alone = batch.length === 1;
    try {
      await beginImmediate(db);
      const view = begin();
      for (const job of batch) outcomes.push(await runJob(db, job, { view, alone, wishes }));
      if (db.isTransaction) await writeLeft(wishes, view);
      else if (!alone) throw new StoreError("full");
      if (db.isTransaction) db.exec("commit");
    } catch (error) {
      if (db.isTransaction) db.exec("rollback");
      return settleAll(batch, { error: asStoreError(error) });
    }
    wake(wishes.woken);
    settleAll(batch, outcomes);
  }

  return {
    enqueue(job) {
      waiting.push(job);
      running ??= drain();
    },
    idle: async () => running,
  };
}

interface Batch {
  readonly view: TxView;
  /** Of a batch of one the transaction is the savepoint. */
  readonly alone: boolean;
  /** What its jobs wished so far. */
  readonly wishes: Wishes;
}

/** @throws what befalls the whole batch; what befalls this job alone is its outcome. */
async function runJob(db: DatabaseSync, job: Job, { view, alone, wishes }: Batch): Promise<Outcome> {
  if (!alone) db.exec("savepoint job");
  try {
    const { value, wishes: more } = await runWork(job, view);
    if (!alone) db.exec("release job");
    addWishes(wishes, more);
    return { value };
  } catch (error) {
    // SQLITE_FULL drops the whole transaction whatever the savepoints: then nothing of the batch stays.
    if (!db.isTransaction || isSqliteTrouble(error)) throw asStoreError(error);
    db.exec(alone ? "rollback" : "rollback to job; release job");
    return { error };
  }
}

async function beginImmediate(db: DatabaseSync) {
  const started = performance.now();
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    try {
      return db.exec("begin immediate");
    } catch (error) {
      // Waiting inside SQLite would block the event loop, so the file is tried again from outside.
      if (sqliteCode(error) !== 5 || performance.now() - started > BUSY_PATIENCE) throw asStoreError(error);
      await wait(pause);
    }
  }
}

function lookForOthers(db: DatabaseSync, found: () => void) {
  const version = db.prepare("pragma data_version");
  let seen = version.get()?.["data_version"];
  const timer = setInterval(() => {
    const now = readVersion(version) ?? seen;
    if (now === seen) return;
    seen = now;
    found();
  }, OTHERS_POLL);
  timer.unref();
  return () => clearInterval(timer);
}

function readVersion(version: StatementSync) {
  try {
    return version.get()?.["data_version"];
  } catch {
    // The file cannot be read: requests say so themselves, and the next look finds what was missed.
    return undefined;
  }
}

function openFile(path: string): DatabaseSync {
  try {
    const db = new DatabaseSync(path, { timeout: 0 });
    if (path !== ":memory:") chmodSync(path, 0o600);
    db.exec(`pragma busy_timeout = ${BUSY_PATIENCE}; pragma journal_mode = wal; pragma synchronous = full;
      pragma foreign_keys = on; pragma trusted_schema = off; pragma cell_size_check = on; pragma busy_timeout = 0`);
    return db;
  } catch (error) {
    throw new StoreSetupError(`The database ${path} cannot be opened: ${messageOf(error)}.`, { cause: error });
  }
}

/** Held open by the server and freed by the system when the process ends, however it ends. */
export function lockFile(path: string): DatabaseSync {
  try {
    const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
    lock.exec("pragma journal_mode = delete; begin exclusive");
    return lock;
  } catch (error) {
    const taken = sqliteCode(error) === 5;
    const fact = taken ? "is served by another Crewroom process" : `cannot be locked: ${messageOf(error)}`;
    throw new StoreSetupError(`The database ${path} ${fact}.`, { cause: error });
  }
}

/** Makes the folder that a file lies in. @throws StoreSetupError */
export function makeFolder(path: string) {
  try {
    makeEach(dirname(resolve(path)));
  } catch (error) {
    throw new StoreSetupError(`The folder ${dirname(path)} cannot be made: ${messageOf(error)}.`, { cause: error });
  }
}

/** One at a time: Node's own `recursive` never ends below a folder like /proc, which says ENOENT for ever. */
function makeEach(folder: string) {
  if (existsSync(folder)) return;
  makeEach(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function refuseOldSqlite() {
  const have = (process.versions.sqlite ?? "0").split(".").map(Number);
  const difference = OLDEST_SAFE_SQLITE.map((part, index) => (have[index] ?? 0) - part).find((part) => part !== 0) ?? 0;
  if (difference < 0)
    throw new StoreSetupError(`SQLite ${process.versions.sqlite} is older than ${OLDEST_SAFE_SQLITE.join(".")}.`);
}

/** SQLite's primary result code, or undefined when the error is not SQLite's. */
function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : undefined;
  return code === undefined ? undefined : code & 0xff;
}

const SQLITE_TROUBLE = new Map<number, "full" | "away">([
  [5, "away"], // BUSY
  [6, "away"], // LOCKED
  [8, "full"], // READONLY
  [10, "away"], // IOERR
  [13, "full"], // FULL
  [14, "away"], // CANTOPEN
]);

function isSqliteTrouble(error: unknown) {
  return error instanceof StoreError || SQLITE_TROUBLE.has(sqliteCode(error) ?? 0);
}

/** What the command line and the hub tell of an error of SQLite's; others come back as they are. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const trouble = SQLITE_TROUBLE.get(sqliteCode(error) ?? 0);
  return trouble ? new StoreError(trouble, error) : error;
}

function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}
