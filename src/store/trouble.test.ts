import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test, vi } from "vitest";
import { makeDatabase, TESTED_STORES } from "../testkit/databases.ts";
import { detailsOf, emit, openTestStore as open } from "../testkit/store.ts";
import { sql } from "./sql.ts";
import { openSqlite } from "./sqlite.ts";
import { RULE_DEADLINE, type Store, type Tx } from "./store.ts";

describe.each(TESTED_STORES)("a store in trouble (%s)", (kind) => {
  test("keeps nothing of a rule that ran out of time, whatever it still asks for, and goes on (P2)", async () => {
    await using made = await open(kind);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() };
    const [stalled, released, ended] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const describe = (tx: Tx, text: string) =>
      tx.run(sql`update rooms set description = ${text} where organization = ${"main"}`);

    const late = made.store.write("main", async (tx) => {
      await describe(tx, "before");
      stalled?.resolve();
      await released?.promise;
      await describe(tx, "after").finally(() => ended?.resolve());
    });
    const refused = late.catch((error: unknown) => error);
    await stalled?.promise;
    vi.advanceTimersByTime(RULE_DEADLINE);
    const error = await refused;
    released?.resolve();
    await ended?.promise;
    vi.useRealTimers();
    await made.store.write("main", (tx) => emit(tx, "next"));

    expect(error).toMatchObject({ trouble: "away" });
    const rooms = await made.store.read((tx) => tx.all<{ description: string }>(sql`select description from rooms`));
    expect(rooms.map((room) => room.description)).toEqual([""]);
    expect(await detailsOf(made.store)).toEqual(["next"]);
  });
});

test.each(TESTED_STORES.filter((kind) => kind === "postgres"))(
  "on %s a connection that is cut between two queries costs a second attempt, not the process",
  async (kind) => {
    await using made = await open(kind);
    const killer = await made.another();
    let attempts = 0;

    await made.store.write("main", async (tx) => {
      attempts += 1;
      if (attempts === 1) await endConnectionOf(tx, killer);
      return emit(tx, "written");
    });

    expect(attempts).toBe(2);
    expect(await detailsOf(made.store)).toEqual(["written"]);
  },
);

test.each(TESTED_STORES.filter((kind) => kind === "postgres"))(
  "on %s statements whose names got lost, as behind a pooled address, are run again without",
  async (kind) => {
    await using made = await open(kind);
    const { store } = made;
    const add = (number: number) =>
      store.write("main", (tx) => tx.run(sql`insert into instance (name, value) values (${`n${number}`}, '')`));
    const count = () => store.read((tx) => tx.one<{ rows: number }>(sql`select count(*) as rows from instance`));
    for (let number = 0; number < 30; number++) {
      await add(number);
      await count();
    }

    await store.write("main", (tx) => tx.run({ texts: ["deallocate all"], values: [] }));
    await Promise.all([30, 31, 32].map(add));

    expect((await count())?.rows).toBe(33);
  },
);

async function endConnectionOf(tx: Tx, killer: Store) {
  const mine = await tx.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  await killer.read((other) => other.one(sql`select pg_terminate_backend(${mine?.pid ?? 0})`));
  // The end of the connection arrives while no query is under way.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

test.each(TESTED_STORES.filter((kind) => kind === "postgres"))(
  "on %s a notification that is not one of ours wakes everybody and ends nothing",
  async (kind) => {
    await using made = await open(kind);
    const woken = Promise.withResolvers<void>();
    await made.store.write("main", (tx) => emit(tx, "listening"));
    made.store.onWake((who) => who === "all" && woken.resolve());

    for (const payload of ["not json", "", "{}", "[[["]) {
      await made.store.write("main", (tx) => tx.all(sql`select pg_notify('crewroom', ${payload})`));
    }
    await woken.promise;

    expect(await detailsOf(made.store)).toEqual(["listening"]);
  },
);

test.each(TESTED_STORES.filter((kind) => kind === "sqlite"))(
  "on %s a file that cannot be read when others' writes are looked for ends nothing, and they are looked for again once it can",
  async (kind) => {
    const database = await makeDatabase(kind);
    const path = database.settings["CREWROOM_DB"] ?? "";
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    using _ = { [Symbol.dispose]: () => vi.useRealTimers() };
    const store = await openSqlite({ path });
    const wakes: unknown[] = [];
    store.onWake((who) => wakes.push(who));
    const other = new DatabaseSync(path);
    const writeElsewhere = (what: string) =>
      other.exec(`insert into instance (name, value) values ('${what}', ''); pragma wal_checkpoint(truncate)`);
    writeElsewhere("before");

    const mend = spoilHeader(path);
    const reading = store.read((tx) => tx.one(sql`select 1 as one from instance`));
    await expect(reading).rejects.toThrow("not a database");
    vi.advanceTimersByTime(2_000);
    const whileSpoiled = [...wakes];
    mend();
    writeElsewhere("after");
    vi.advanceTimersByTime(2_000);

    expect([whileSpoiled, wakes]).toEqual([[], ["all"]]);
    other.close();
    await store.close();
    await database.remove();
  },
);

/** Makes a SQLite file unreadable as on a failing disk. Gives how to mend it. */
function spoilHeader(path: string) {
  const file = openSync(path, "r+");
  const header = Buffer.alloc(16);
  readSync(file, header, 0, 16, 0);
  writeSync(file, Buffer.alloc(16, "x"), 0, 16, 0);
  return () => {
    writeSync(file, header, 0, 16, 0);
    closeSync(file);
  };
}
