import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import pg from "pg";
import { expect, test } from "vitest";
import { readSettings } from "../src/config.ts";
import { startHub } from "../src/hub.ts";
import { sql } from "../src/store/sql.ts";
import type { Store } from "../src/store/store.ts";
import { makeActor, type Value } from "../src/testkit/actor.ts";
import { seat } from "../src/testkit/cast.ts";
import { spawnCommand } from "../src/testkit/command.ts";
import { makeDatabase } from "../src/testkit/databases.ts";
import { startTestHub } from "../src/testkit/hub.ts";

const SETTINGS = { PORT: "0", CREWROOM_LOG: "silent", CREWROOM_SECRET_KEY: "a key of the tests, which is long enough" };

/** Uploads one file after another until `isOver`, or the hub is gone. Gives the digests of those that were answered with 201. */
function uploadOn(url: string, token: string, isOver: () => boolean) {
  const acknowledged = new Set<string>();
  const box1 = makeActor(url, "box1", token);
  async function upload() {
    while (!isOver()) {
      const response = await box1.fetch("/v1/files?name=a", { method: "POST", body: randomBytes(700_000) });
      const { sha256 } = (await response.json()) as Value;
      if (response.status === 201) acknowledged.add(String(sha256));
    }
  }
  const ended = Promise.allSettled(Array.from({ length: 4 }, upload));
  return { acknowledged, ended };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Every file has all of its bytes and its event, no bytes are of no file, and what was acknowledged is there. */
async function expectWhole(store: Store, acknowledged: ReadonlySet<string>) {
  const files = await store.read((tx) =>
    tx.all<{ number: number; sha256: string; size: number }>(sql`
      select number, sha256, size from files order by number`),
  );
  const parts = await store.read((tx) =>
    tx.all<{ file: number; bytes: Uint8Array }>(sql`select file, bytes from file_parts order by file, part`),
  );
  const events = await store.read((tx) =>
    tx.all<{ file: number }>(sql`select file from events where kind = 'file_added' order by file`),
  );
  const kept = [...Map.groupBy(parts, ({ file }) => file)].map(([number, own]) => {
    const bytes = Buffer.concat(own.map((part) => part.bytes));
    return { number, sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
  });
  expect(kept).toEqual(files);
  expect(events.map(({ file }) => file)).toEqual(files.map(({ number }) => number));
  expect([...acknowledged].filter((sha256) => !files.some((file) => file.sha256 === sha256))).toEqual([]);
}

test("a hub that is killed while it stores files has whole ones or none afterwards, and all it acknowledged", async () => {
  const database = await makeDatabase("sqlite");
  const settings = { ...SETTINGS, ...database.settings };
  const first = await startHub(readSettings(settings));
  const token = (await seat(first.store)).get("box1") ?? "";
  await first.close();
  const served = spawnCommand(["serve", "--json"], settings);
  const lines = createInterface({ input: served.stdout! });
  const [line] = await Promise.race([once(lines, "line"), once(served, "exit").then(() => [])]);
  const { url } = JSON.parse(String(line)) as { url: string };

  const { acknowledged, ended } = uploadOn(url, token, () => false);
  while (acknowledged.size < 9) await turn();
  served.kill("SIGKILL");
  await ended;

  const hub = await startHub(readSettings(settings));
  await expectWhole(hub.store, acknowledged);
  await hub.close();
  await database.remove();
});

test("a hub whose connections to Postgres are cut while it stores files has whole ones or none, and all it acknowledged", async () => {
  await using hub = await startTestHub("postgres");
  const client = new pg.Client({ connectionString: hub.database["DATABASE_URL"] });
  await client.connect();
  const cut = () =>
    client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  let isOver = false;

  const { acknowledged, ended } = uploadOn(hub.url, hub.token("box1"), () => isOver);
  for (const count of [3, 6, 9]) {
    while (acknowledged.size < count) await turn();
    await cut();
  }
  isOver = true;
  await ended;
  await client.end();

  await expectWhole(hub.hub.store, acknowledged);
});

test("two nodes on one Postgres never pass an organization's quota together", async () => {
  await using hub = await startTestHub("postgres", { CREWROOM_FILE_QUOTA_MB: "1" });
  const second = await startHub(readSettings({ ...SETTINGS, ...hub.database, CREWROOM_FILE_QUOTA_MB: "1" }), {
    trustDatabase: true,
  });
  const body = randomBytes(200_000);

  const statuses = await Promise.all(
    Array.from({ length: 16 }, async (_, index) => {
      const box1 = makeActor(index % 2 ? hub.url : second.url, "box1", hub.token("box1"));
      return (await box1.fetch("/v1/files?name=a", { method: "POST", body })).status;
    }),
  );
  await second.close();

  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array<number>(5).fill(201), ...Array<number>(11).fill(413)]);
});
