import { hash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { placeOf } from "../../hub.ts";
import { readSettings } from "../../config.ts";
import { finishRestore } from "../../features/backup/finish-restore.ts";
import { isUnused } from "../../features/backup/queries.ts";
import { addText, findTexts } from "../../features/search/queries.ts";
import { makeDatabase, type StoreKind, TESTED_STORES } from "../../testkit/databases.ts";
import { startTestHub, type TestHub } from "../../testkit/hub.ts";
import { liveALittle } from "../../testkit/lively.ts";
import { openStoreAt } from "../../testkit/store.ts";
import { sql } from "../sql.ts";
import { restoreArchive, writeArchive } from "./archive.ts";
import { ArchiveError, type ArchiveRow, parseLine } from "./format.ts";
import { checkArchive } from "./reader.ts";

const PAIRS = TESTED_STORES.flatMap((from) => TESTED_STORES.map((to) => [from, to] as const));
const UNTOUCHED = { replace: false, isEmpty: isUnused, finish: async () => undefined };

describe.each(PAIRS)("a backup of %s restored on %s", (from, to) => {
  test("holds every row as it was", async () => {
    await using place = await placesFor(from, to);
    await liveALittle(place.hub);

    const written = await writeArchive(place.source, place.file("one"), "test");
    await restoreArchive(place.target, { ...UNTOUCHED, file: place.file("one") });
    const again = await writeArchive(place.target, place.file("two"), "test");

    expect(written.rows).toMatchObject({
      messages: 3,
      tasks: 2,
      questions: 2,
      search_index: written.rows["search_index"],
    });
    expect(written.rows["search_index"]).toBeGreaterThan(0);
    expect(again.rows).toEqual(written.rows);
    expect(tablesIn(place.file("two"))).toEqual(tablesIn(place.file("one")));
  });

  test("is of one moment, though others wrote all the time (P14)", async () => {
    await using place = await placesFor(from, to);
    let stop = false;
    let posts = 0;
    const writers = ["box1", "box2", "box3"].map(async (handle) => {
      for (; !stop; posts++) await place.hub.as(handle).call("post_message", { body: `${handle} ${posts}` });
    });
    const posted = async (count: number) => {
      while (posts < count) await place.hub.as("watcher").call("read_messages");
    };
    const backups: string[] = [];
    for (const name of ["first", "second", "third"]) {
      await posted(posts + 20);
      await writeArchive(place.source, place.file(name), "test");
      backups.push(name);
    }
    stop = true;
    await Promise.all(writers);

    for (const name of backups) {
      await restoreArchive(place.target, { ...UNTOUCHED, replace: true, file: place.file(name) });
      await using made = await openStoreAt(to, place.targetSettings);
      const found = await made.store.read((tx) =>
        tx.one<Record<string, number>>(sql`
          select l.position, r.last_message,
            (select count(*) from events e where e.organization = 'main') as events,
            (select count(*) from messages m where m.organization = 'main') as messages,
            (select count(*) from events e where e.organization = 'main' and e.kind = 'message') as told
          from logs l
          join rooms r on r.organization = l.organization and r.name = 'lobby'
          where l.organization = 'main'`),
      );
      expect(found?.["events"]).toBe(found?.["position"]);
      expect([found?.["messages"], found?.["told"]]).toEqual([found?.["last_message"], found?.["last_message"]]);
      expect(found?.["messages"]).toBeGreaterThan(0);
    }
  });
});

describe.each(TESTED_STORES)("restoring on %s", (to) => {
  test("changes the epoch, ends sign-ins and grants, says so in the log, and lists the tokens it brings back", async () => {
    await using place = await placesFor("sqlite", to);
    await liveALittle(place.hub);
    await writeArchive(place.source, place.file("one"), "test");

    const restored = await restoreArchive(place.target, {
      ...UNTOUCHED,
      file: place.file("one"),
      finish: (tx, head) => finishRestore(tx, head.made_at),
    });

    await using made = await openStoreAt(to, place.targetSettings);
    const after = await made.store.read(async (tx) => ({
      logs: await tx.all<{ epoch: string }>(sql`select epoch from logs where organization = 'main'`),
      live: await tx.all(sql`select kind from tokens where kind in ('usr', 'web', 'oat') and revoked_at is null`),
      last: await tx.one(sql`
        select e.kind, e.actor from events e join logs l on l.organization = e.organization and l.position = e.position
        where e.organization = 'main'`),
    }));
    expect(after.logs[0]?.epoch).not.toBe("testepoch000");
    expect(after.live).toEqual([]);
    expect(after.last).toEqual({ kind: "database_restored", actor: "operator" });
    expect(restored.finished.organizations).toEqual(["main", "other"]);
    expect(restored.finished.ended_sign_ins).toBeGreaterThan(4);
    expect(restored.finished.tokens.map(({ member }) => member)).toEqual(
      expect.arrayContaining(["annbot", "box1", "ruler"]),
    );
  });

  test("finds what came back by its words, and what is written afterwards before it", async () => {
    await using place = await placesFor("sqlite", to);
    await liveALittle(place.hub);
    await writeArchive(place.source, place.file("one"), "test");
    await restoreArchive(place.target, { ...UNTOUCHED, file: place.file("one") });

    await using made = await openStoreAt(to, place.targetSettings);
    await made.store.write("main", async (tx) =>
      addText(
        tx,
        { organization: "main", kind: "message", room: 1, id: "99" },
        { finders: ["#1"], text: "No thanks." },
      ),
    );

    const query = {
      organization: "main",
      kinds: ["message"],
      finders: ["#1"],
      words: ["thanks"],
      which: "all",
      limit: 5,
    } as const;
    const found = await made.store.read((tx) => findTexts(tx, query));
    expect(found.map(({ id }) => id)).toEqual(["99", "2"]);
  });

  test("refuses a database in which somebody is, unless it may be replaced", async () => {
    await using place = await placesFor(to, to);
    await writeArchive(place.source, place.file("one"), "test");
    await place.hub.as("box1").call("post_message", { body: "after the backup" });
    await place.closeHub();

    const refused = await restoreArchive(place.source, { ...UNTOUCHED, file: place.file("one") }).catch(String);
    const before = await writeArchive(place.source, place.file("two"), "test");
    await restoreArchive(place.source, { ...UNTOUCHED, replace: true, file: place.file("one") });
    const after = await writeArchive(place.source, place.file("three"), "test");

    expect(refused).toMatch(/is not empty/);
    expect([before.rows["messages"], after.rows["messages"]]).toEqual([1, 0]);
  });

  test("refuses while a server serves the database", async () => {
    await using place = await placesFor(to, to);
    await writeArchive(place.source, place.file("one"), "test");

    const refused = restoreArchive(place.source, { ...UNTOUCHED, replace: true, file: place.file("one") });

    await expect(refused).rejects.toThrow(/served by another|in use by/);
  });

  test("brings nothing back of an archive in which anything was changed, and leaves nothing behind", async () => {
    await using place = await placesFor("sqlite", to);
    await liveALittle(place.hub);
    await writeArchive(place.source, place.file("one"), "test");
    const lines = gunzipSync(readFileSync(place.file("one"))).toString("utf8");
    const kept = lines.split("\n").filter((line) => !line.includes("Thanks."));
    const damaged = {
      changed: gzipSync(lines.replace("It leaks.", "It leads.")),
      "a row less": gzipSync(kept.join("\n")),
      "a table less": gzipSync(lines.replace(/\{"table":"receipts"[^}]*\}\n(\[.*\]\n)*\{.*\}\n/, "")),
      "cut off": gzipSync(lines.slice(0, lines.length / 2)),
      "goes on": gzipSync(`${lines}[1]\n`),
      "no archive": gzipSync("hello\n"),
      "another form": gzipSync(lines.replace('"crewroom_archive":1', '"crewroom_archive":2')),
      "not packed": Buffer.from(lines),
      "packed and cut": readFileSync(place.file("one")).subarray(0, 900),
    };

    for (const [name, bytes] of Object.entries(damaged)) {
      writeFileSync(place.file(name), bytes);
      const refused = restoreArchive(place.target, { ...UNTOUCHED, file: place.file(name) });
      await expect(refused, name).rejects.toBeInstanceOf(ArchiveError);
    }
    expect(place.left()).toEqual([]);
    await restoreArchive(place.target, { ...UNTOUCHED, file: place.file("one") });
  });

  test("refuses an archive of a newer program by the step it does not know", async () => {
    await using place = await placesFor("sqlite", to);
    await writeArchive(place.source, place.file("one"), "test");
    const lines = gunzipSync(readFileSync(place.file("one")))
      .toString("utf8")
      .split("\n");
    const newer = reseal([lines[0]?.replace("]}", ',"9999-later"]}') ?? "", ...lines.slice(1)]);
    writeFileSync(place.file("newer"), gzipSync(newer));

    const refused = restoreArchive(place.target, { ...UNTOUCHED, file: place.file("newer") });

    await expect(refused).rejects.toThrow(/newer Crewroom.*9999-later/);
  });
});

test.each(TESTED_STORES)(
  "a backup of %s is for its owner alone, and replaces one of the same name once it is whole",
  async (kind) => {
    await using place = await placesFor(kind, "sqlite");
    writeFileSync(place.file("one"), gzipSync("an older backup"), { mode: 0o644 });

    const { bytes } = await writeArchive(place.source, place.file("one"), "test");
    const refused = writeArchive(place.source, join(place.folder, "no/such/folder"), "test");

    await expect(refused).rejects.toThrow(/ENOENT/);
    expect(statSync(place.file("one")).mode & 0o777).toBe(0o600);
    expect(statSync(place.file("one")).size).toBe(bytes);
    expect((await checkArchive(place.file("one"))).head).toMatchObject({ store: kind, program: "test" });
    expect(place.left()).toEqual([]);
  },
);

interface Places extends AsyncDisposable {
  readonly hub: TestHub;
  readonly folder: string;
  readonly source: ReturnType<typeof placeOf>;
  readonly target: ReturnType<typeof placeOf>;
  readonly targetSettings: Readonly<Record<string, string>>;
  file(name: string): string;
  /** What lies beside the backups and beside a SQLite target that is neither. */
  left(): string[];
  closeHub(): Promise<void>;
}

/** A hub on one store, a database on another that has nothing in it, and a folder for backups. */
async function placesFor(from: StoreKind, to: StoreKind): Promise<Places> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-backup-"));
  const hub = await startTestHub(from);
  const database = await makeDatabase(to);
  let closed = false;
  const closeHub = async () => {
    if (!closed) await hub.hub.close();
    closed = true;
  };
  return {
    hub,
    folder,
    source: placeOf(readSettings(hub.database)),
    target: placeOf(readSettings(database.settings)),
    targetSettings: database.settings,
    file: (name) => join(folder, `${name}.crewroom`),
    left() {
      const beside = to === "sqlite" ? readdirSync(dirname(database.settings["CREWROOM_DB"] ?? "")) : [];
      return [...readdirSync(folder), ...beside].filter((name) => !/\.(crewroom|lock)$/.test(name));
    },
    closeHub,
    async [Symbol.asyncDispose]() {
      await (closed ? database.remove() : hub[Symbol.asyncDispose]().then(database.remove));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Every row by table, in an order of its own, its values by column; the words of a text index in their order. */
function tablesIn(file: string): Record<string, string[]> {
  const tables: Record<string, string[]> = {};
  let open: { rows: string[]; columns: readonly string[] } = { rows: [], columns: [] };
  for (const line of gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n")) {
    const said = parseLine(line);
    if (said.what === "table") open = { rows: (tables[said.table] = []), columns: said.columns };
    if (said.what === "row") open.rows.push(JSON.stringify(byColumn(open.columns, said.row)));
  }
  for (const rows of Object.values(tables)) rows.sort();
  return tables;
}

function byColumn(columns: readonly string[], row: ArchiveRow): [string, ArchiveRow[number]][] {
  const pairs = columns.map((column, at): [string, ArchiveRow[number]] => {
    const value = row[at] ?? null;
    return [column, column === "words" ? [...new Set(String(value).split(" "))].toSorted().join(" ") : value];
  });
  return pairs.toSorted(([one], [other]) => one.localeCompare(other));
}

/** The lines of an archive with a last line that fits what now stands before it. */
function reseal(lines: readonly string[]): string {
  const kept = lines.filter((line) => line !== "" && !line.startsWith('{"tables"'));
  const end = parseLine(lines.find((line) => line.startsWith('{"tables"')) ?? "");
  const before = `${kept.join("\n")}\n`;
  const { what: _, ...rest } = end;
  return `${before}${JSON.stringify({ ...rest, sha256: hash("sha256", before, "hex") })}\n`;
}
