// Durable writes beside raw SQLite with the same durability (WAL, synchronous=FULL): `npm run bench:durable`.
// One row a commit and fifty rows a commit are the two ends; the hub's door lies between them, by how many wait at once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { appendEvents } from "../src/core/event-log.ts";
import { makeOrganization } from "../src/features/organizations/make-organization.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { median } from "./figures.ts";

const [rounds = 5] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "crewroom-durable-"));
const store = await openSqlite({ path: join(folder, "hub.db") });
await store.write("main", (tx) => makeOrganization(tx, { id: "main", name: "Main", by: "bench" }));
const raw = new DatabaseSync(join(folder, "raw.db"));
raw.exec("pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, body text)");
const insert = raw.prepare("insert into rows (body) values (?)");
const body = "x".repeat(400);

const lines = [
  ["raw, 1 row a commit", () => rawRate(200, 1)],
  ["raw, 50 rows a commit", () => rawRate(5_000, 50)],
  ["the door, 1 event at a time", () => doorRate(200, 1)],
  ["the door, 16 at once", () => doorRate(2_000, 16)],
  ["the door, 64 at once", () => doorRate(5_000, 64)],
] as const;
const rates = lines.map(() => [] as number[]);
for (let round = -1; round < rounds; round++) {
  for (const [index, [, measure]] of lines.entries()) {
    const rate = await measure();
    if (round >= 0) rates[index]?.push(rate);
  }
}
const medians = rates.map(median);
console.log("Writes a second ÷ raw SQLite with one row a commit, medians of the rounds.\n");
for (const [index, [name]] of lines.entries()) {
  console.log(`  ${name.padEnd(32)}${((medians[index] ?? Number.NaN) / (medians[0] ?? Number.NaN)).toFixed(2)}`);
}
await store.close();
raw.close();
rmSync(folder, { recursive: true });

function rawRate(rows: number, together: number): Promise<number> {
  const started = performance.now();
  for (let done = 0; done < rows; done += together) {
    raw.exec("begin immediate");
    for (let row = 0; row < together; row++) insert.run(body);
    raw.exec("commit");
  }
  return Promise.resolve(rows / ((performance.now() - started) / 1_000));
}

async function doorRate(events: number, writers: number): Promise<number> {
  const started = performance.now();
  let left = events;
  const write = async () => {
    while (left-- > 0)
      await store.write("main", async (tx) =>
        appendEvents(tx, "main", "bench", [{ kind: "message", room: 1, detail: body }]),
      );
  };
  await Promise.all(Array.from({ length: writers }, write));
  return events / ((performance.now() - started) / 1_000);
}
