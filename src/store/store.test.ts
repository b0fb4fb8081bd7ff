import { describe, expect, test } from "vitest";
import { listEvents } from "../core/event-log.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { makeDatabase, TESTED_STORES } from "../testkit/databases.ts";
import { detailsOf, emit, eventsIn, openTestStore as open } from "../testkit/store.ts";
import { sql } from "./sql.ts";
import { openSqlite } from "./sqlite.ts";
import { StoreSetupError, type Tx } from "./store.ts";

describe.each(TESTED_STORES)("a store (%s)", (kind) => {
  test("keeps of a shared commit what succeeded, and nothing of what failed", async () => {
    await using made = await open(kind);
    const { store } = made;

    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        store.write("main", async (tx) => {
          await tx.run(sql`insert into instance (name, value) values (${`job ${index}`}, 'ran')`);
          await emit(tx, `event ${index}`);
          if (index % 3 === 0) throw new Error(`no ${index}`);
        }),
      ),
    );

    const positions = (await eventsIn(store)).map((event) => event.position);
    const ran = await store.read((tx) =>
      tx.one<{ jobs: number }>(sql`select count(*) as jobs from instance where value = 'ran'`),
    );
    expect(positions).toEqual(Array.from({ length: 40 }, (_, index) => index + 3));
    expect(ran?.jobs).toBe(40);
    expect(results[3]).toMatchObject({ status: "rejected", reason: { message: "no 3" } });
    expect(await detailsOf(store)).toEqual(
      Array.from({ length: 60 }, (_, index) => index)
        .filter((index) => index % 3 !== 0)
        .map((index) => `event ${index}`),
    );
  });

  test("refuses a write in a read", async () => {
    await using made = await open(kind);

    const sneak = (tx: Tx) => tx.run(sql`insert into instance (name, value) values ('sneaky', '')`);

    await expect(made.store.read(sneak)).rejects.toThrow(/read.?only/i);

    await expect(made.store.read((tx) => emit(tx, "sneaky"))).rejects.toThrow("leaves nothing");
    expect(await detailsOf(made.store)).toEqual([]);
  });

  test("refuses a write inside a write, which would wait for itself for ever", async () => {
    await using made = await open(kind);

    await expect(made.store.write("main", () => made.store.write("main", (tx) => emit(tx, "inner")))).rejects.toThrow(
      /wait for itself/,
    );
  });

  test("goes on after a statement that cannot be", async () => {
    await using made = await open(kind);

    await expect(
      made.store.write("main", (tx) => tx.run(sql`insert into nowhere (x) values (${1})`)),
    ).rejects.toThrow();
    await made.store.write("main", (tx) => emit(tx, "after"));

    expect(await detailsOf(made.store)).toEqual(["after"]);
  });

  test("refuses a reference across organizations", async () => {
    await using made = await open(kind);
    await made.store.write("other", (tx) => makeOrganization(tx, { id: "other", name: "Other", by: "crewroom" }));
    const crossing = made.store.write("other", (tx) =>
      tx.run(sql`
        insert into messages (organization, room, number, author, at, body, thread)
        values (${"other"}, ${99}, ${1}, ${"x"}, ${0}, ${"x"}, ${1})`),
    );

    await expect(crossing).rejects.toThrow(/foreign key/i);
  });

  test("reads one moment, whatever is written meanwhile", async () => {
    await using made = await open(kind);
    const { store } = made;

    const seen = await store.read(async (tx) => {
      const before = await listEvents(tx, { organization: "main", room: 1, limit: 100 });
      await new Promise((resolve) => void store.write("main", (writing) => emit(writing, "meanwhile")).then(resolve));
      const after = await listEvents(tx, { organization: "main", room: 1, limit: 100 });
      return [before.length, after.length];
    });

    expect(seen[1]).toBe(seen[0]);
  });

  test("wakes after the commit, for the organization that has news, and not for one that has none", async () => {
    await using made = await open(kind);
    const woken: unknown[] = [];
    // On Postgres the first look at the heads tells of every organization; after it only news do.
    const looked = new Promise<void>((resolve) => {
      if (kind === "sqlite") resolve();
      made.store.onWake((who) => {
        woken.push(who === "all" ? who : [...who]);
        if (who !== "all") resolve();
      });
    });
    await looked;
    woken.length = 0;

    await made.store.write("main", (tx) =>
      tx.run(sql`update rooms set description = ${"quiet"} where organization = ${"main"}`),
    );
    expect(woken).toEqual([]);
    await made.store.write("main", (tx) => emit(tx, "news"));

    expect(woken[0]).toEqual(["main"]);
  });

  test("hears what another process wrote", async () => {
    await using made = await open(kind);
    const other = await made.another();
    const heard = new Promise<void>((resolve) => {
      made.store.onWake((who) => (who === "all" || who.has("main")) && resolve());
    });

    await other.write("main", (tx) => emit(tx, "from elsewhere"));
    await heard;

    expect(await detailsOf(made.store)).toEqual(["from elsewhere"]);
  });

  test("finds the events of a quiet room by an index, not by looking through the organization", async () => {
    await using made = await open(kind);
    const plan = await made.store.read(async (tx) => {
      const query = sql`select position from events where organization = ${"main"} and room = ${7} and position > ${3} order by position limit ${50}`;
      if (kind === "sqlite") return tx.all<{ detail: string }>(sql`explain query plan ${query}`);
      await tx.all(sql`set local enable_seqscan = off`);
      return tx.all<object>(sql`explain ${query}`);
    });

    expect(JSON.stringify(plan)).toContain("events_of_room");
  });

  test("refuses a database of a newer Crewroom", async () => {
    await using made = await open(kind);
    await made.store.write("main", (tx) =>
      tx.run(sql`insert into migrations (name, digest) values (${"9999-later"}, ${"x"})`),
    );

    await expect(made.another()).rejects.toThrow(/older than the database/);
  });
});

test("one server has a SQLite file, and its end frees it (P13)", async () => {
  const database = await makeDatabase("sqlite");
  const path = database.settings["CREWROOM_DB"] ?? "";
  const first = await openSqlite({ path, exclusive: true });

  await expect(openSqlite({ path, exclusive: true })).rejects.toThrow(StoreSetupError);
  const beside = await openSqlite({ path });
  await beside.close();
  await first.close();
  const second = await openSqlite({ path, exclusive: true });

  await second.close();
  await database.remove();
});

test("a SQLite store keeps commits through a power cut: WAL and synchronous=FULL (P1)", async () => {
  const database = await makeDatabase("sqlite");
  const store = await openSqlite({ path: database.settings["CREWROOM_DB"] ?? "" });

  const settings = await store.write("main", async (tx) => [
    await tx.one(sql`select journal_mode from pragma_journal_mode`),
    await tx.one(sql`select synchronous from pragma_synchronous`),
    await tx.one(sql`select foreign_keys from pragma_foreign_keys`),
  ]);

  expect(JSON.stringify(settings)).toBe('[{"journal_mode":"wal"},{"synchronous":2},{"foreign_keys":1}]');
  await store.close();
  await database.remove();
});

test("a full SQLite file refuses the whole batch, goes on reading, and recovers without a restart (P13)", async () => {
  const database = await makeDatabase("sqlite");
  const store = await openSqlite({ path: database.settings["CREWROOM_DB"] ?? "" });
  await store.write("main", (tx) => makeOrganization(tx, { id: "main", name: "Main", by: "crewroom" }));
  const pages = await store.write("main", (tx) =>
    tx.one<{ page_count: number }>(sql`select page_count from pragma_page_count`),
  );
  await store.write("main", (tx) =>
    tx.all({ texts: [`pragma max_page_count = ${(pages?.page_count ?? 0) + 4}`], values: [] }),
  );

  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, index) =>
      store.write("main", (tx) => emit(tx, `${index} ${"x".repeat(4_000)}`).then(() => fill(tx, index))),
    ),
  );
  const reading = await detailsOf(store);
  await store.write("main", (tx) => tx.all({ texts: ["pragma max_page_count = 1000000"], values: [] }));
  await store.write("main", (tx) => emit(tx, "room again"));

  expect(results.map((result) => (result.status === "rejected" ? result.reason.trouble : "kept"))).toEqual(
    Array(50).fill("full"),
  );
  expect(reading).toEqual([]);
  expect(await detailsOf(store)).toEqual(["room again"]);
  await store.close();
  await database.remove();
});

function fill(tx: Tx, index: number) {
  return tx.run(sql`
    insert into messages (organization, room, number, author, at, body, thread)
    values (${"main"}, ${1}, ${index}, ${"box1"}, ${0}, ${"x".repeat(8_000)}, ${index})`);
}

test("a folder that cannot be made is told in one sentence, also where the system says that it is not there", async () => {
  for (const path of ["/proc/nowhere/deep/crewroom.db", "/dev/null/crewroom.db"]) {
    await expect(openSqlite({ path })).rejects.toThrow(/^The (folder|database) .* cannot be (made|opened): .*\.$/);
  }
});
