import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { findVerifiedBackup } from "../features/backup/queries.ts";
import type { Value } from "../testkit/actor.ts";
import { runProcess, runWith, spawnCommand } from "../testkit/command.ts";
import { makeDatabase, type StoreKind, TESTED_STORES } from "../testkit/databases.ts";
import { makeDurableDatabase } from "../testkit/durable-database.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { liveALittle } from "../testkit/lively.ts";
import { sql } from "../store/sql.ts";
import { openStoreAt } from "../testkit/store.ts";

onEachStore("crewroom backup and restore", (start, kind) => {
  test("move a hub to an empty database beside a running server, and say which tokens work again", async () => {
    await using hub = await start();
    await using there = await scratch(kind);
    await liveALittle(hub);

    const made = await runWith(hub.database, ["backup", there.file]);
    const restored = await runWith(there.settings, ["restore", there.file]);
    const again = await runWith(there.settings, ["restore", there.file, "--json"]);
    const replaced = await runWith(there.settings, ["restore", there.file, "--json", "--yes"]);

    expect([made.code, made.err]).toEqual([0, ""]);
    expect(made.out).toMatch(/is backed up to .*one\.crewroom: \d+ rows of \d+ tables/);
    expect(restored.out).toMatch(/holds the backup of .*Z: \d+ rows\. \d+ sign-ins were ended/);
    expect(restored.out).toMatch(/These tokens work again.*\n.*MEMBER.*\n(.*\n)*main +annbot /);
    expect(again.code).toBe(2);
    expect(JSON.parse(again.err)).toMatchObject({ error: { message: expect.stringMatching(/not empty.*--yes/) } });
    expect(JSON.parse(replaced.out)).toMatchObject({
      ok: true,
      organizations: ["main", "other"],
      kept: kind === "sqlite" ? expect.stringContaining("before-restore") : null,
    });
  });

  test("refuse a file that is none, and a place that is not there, in a sentence", async () => {
    await using there = await scratch(kind);
    writeFileSync(there.file, "not a backup");

    const none = await runWith(there.settings, ["restore", there.file]);
    const missing = await runWith(there.settings, ["restore", join(there.folder, "missing")]);

    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/one.crewroom is no backup that can be used/)]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/missing cannot be opened \(ENOENT\)/)]);
  });

  test("replace a backup, and no other file: neither the database nor what lies there", async () => {
    await using hub = await start();
    await using there = await scratch(kind);
    const other = join(there.folder, "notes.txt");
    writeFileSync(other, "mine");
    const database = hub.database["CREWROOM_DB"] ?? other;
    const before = readFileSync(database);

    const refused = [await runWith(hub.database, ["backup", other]), await runWith(hub.database, ["backup", database])];
    const twice = [
      await runWith(hub.database, ["backup", there.file]),
      await runWith(hub.database, ["backup", there.file]),
    ];

    for (const { code, err } of refused)
      expect([code, err]).toEqual([2, expect.stringMatching(/A file that is no backup has that name/)]);
    expect([readFileSync(other, "utf8"), readFileSync(database).equals(before)]).toEqual(["mine", true]);
    expect(twice.map(({ code }) => code)).toEqual([0, 0]);
    expect(readdirSync(there.folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test(
    "restore nothing when they are killed, at whatever moment, and everything the next time (P14)",
    { timeout: 120_000 },
    async () => {
      await using hub = await start();
      await using there = await scratch(kind);
      await fillRoom(hub, 30_000);
      await runWith(hub.database, ["backup", there.file]);
      const target = await makeDatabase(kind);
      const killed: (string | null)[] = [];
      const found: number[] = [];

      for (const delay of [300, 450, 600, 750, 900, 1_100]) {
        const child = spawnCommand(["restore", there.file], target.settings);
        const ended = once(child, "exit") as Promise<[number | null, string | null]>;
        await Promise.race([pause(delay), ended]);
        child.kill("SIGKILL");
        killed.push((await ended)[1]);
        found.push(await countMessages(target.settings));
        if (found.at(-1) !== 0) break;
      }
      const last = await runProcess(["restore", there.file, "--yes", "--json"], target.settings);

      expect(killed[0]).toBe("SIGKILL");
      expect(new Set(found.slice(0, -1))).toEqual(new Set([0]));
      expect([0, 30_000]).toContain(found.at(-1));
      expect([last.code, await countMessages(target.settings)]).toEqual([0, 30_000]);
      const path = target.settings["CREWROOM_DB"] ?? "";
      if (kind === "sqlite")
        expect(readdirSync(dirname(path)).filter((name) => name.includes("restoring"))).toEqual([]);
      await target.remove();
    },
  );

  async function countMessages(settings: Value): Promise<number> {
    if (kind === "sqlite" && !existsSync(settings["CREWROOM_DB"])) return 0;
    await using made = await openStoreAt(kind, settings);
    return (
      (await made.store.read((tx) => tx.one<{ count: number }>(sql`select count(*) as count from messages`)))?.count ??
      -1
    );
  }
});

test.each(TESTED_STORES)(
  "crewroom backup --verify on %s reads the backup back, and keeps when that was",
  async (kind) => {
    await using database = await makeDurableDatabase(kind);
    await using there = await scratch(kind);
    await runWith(database.environment, ["init"]);

    const plain = await runWith(database.environment, ["backup", there.file, "--json"]);
    const before = await readVerified();
    const made = await runWith(database.environment, ["backup", there.file, "--verify", "--json"]);

    expect([JSON.parse(plain.out).verified, before]).toEqual([false, undefined]);
    const { made_at, rows, sha256, verified } = JSON.parse(made.out) as Value; // one object, by --json
    expect([made.code, verified]).toEqual([0, true]);
    expect(await readVerified()).toMatchObject({ made_at: Date.parse(made_at), rows, sha256 });

    async function readVerified() {
      await using opened = await openStoreAt(kind, database.environment);
      return opened.store.read(findVerifiedBackup);
    }
  },
);

test.each(TESTED_STORES)(
  "crewroom verify on %s says what was changed, in the database and in a backup of it",
  async (kind) => {
    await using database = await makeDurableDatabase(kind);
    await using there = await scratch(kind);
    await runWith(database.environment, ["init"]);
    const verify = (...args: string[]) => runWith(database.environment, ["verify", ...args]);
    await runWith(database.environment, ["backup", there.file]);

    const good = await verify();
    const goodBackup = await verify(there.file, "--json");
    await using opened = await openStoreAt(kind, database.environment);
    await opened.store.write("main", (tx) => tx.run(sql`update events set detail = 'attic' where position = 2`));
    const bad = await verify();
    const badJson = await verify("--json");
    const backup = await runWith(database.environment, ["backup", there.file, "--verify", "--json"]);
    const badBackup = await verify(there.file);

    expect([good.code, good.out]).toEqual([
      0,
      expect.stringMatching(/everything is what was stored: 2 events, 0 messages.*of 1 organization\./),
    ]);
    expect([goodBackup.code, JSON.parse(goodBackup.out)]).toMatchObject([0, { ok: true, problem_count: 0 }]);
    expect([bad.code, bad.out]).toEqual([
      5,
      expect.stringMatching(/1 thing is NOT.*\n {2}main: event 2: is not what was written/),
    ]);
    const problems = [{ organization: "main", what: "event 2", problem: "is not what was written" }];
    expect(JSON.parse(badJson.out)).toMatchObject({ ok: false, structure: [], problems, problem_count: 1 });
    expect([backup.code, JSON.parse(backup.out)]).toMatchObject([5, { ok: false, verified: false }]);
    expect([badBackup.code, badBackup.out]).toEqual([5, expect.stringMatching(/In .*one.crewroom 1 thing is NOT/)]);
  },
);

/** A folder for a backup, and a database with nothing in it. */
async function scratch(kind: StoreKind) {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-backup-"));
  const database = await makeDatabase(kind);
  return {
    folder,
    file: join(folder, "one.crewroom"),
    settings: database.settings,
    async [Symbol.asyncDispose]() {
      await database.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Messages as they would be, though no event tells of them. */
async function fillRoom({ hub }: TestHub, count: number) {
  await hub.store.write("main", async (tx) => {
    await tx.run(sql`
      with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
      insert into messages (organization, room, number, author, at, body, thread)
      select 'main', 1, number, 'box1', 0, 'A message that is as long as most of them are, give or take a few words.', number
      from numbers`);
  });
}
