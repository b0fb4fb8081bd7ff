import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { makeOrganization } from "../src/features/organizations/make-organization.ts";
import { verdictOn } from "../src/features/integrity/verdict.ts";
import { writeArchive } from "../src/store/archive/archive.ts";
import { checkArchive } from "../src/store/archive/reader.ts";
import { restoreScratch } from "../src/store/archive/sqlite-restore.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { insertOldMessage } from "../src/features/imports/timeline-queries.ts";
import { appendEvents } from "../src/core/event-log.ts";

// `node bench/backup.ts [messages]`: what backup, reading back, restore and verify cost beside `vacuum into` and gzip of the same file.
const messages = Number(process.argv[2] ?? 50_000);
const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-"));
const path = join(folder, "crewroom.db");
await fill();

const bare = await cpuOf(async () => {
  const db = new DatabaseSync(path, { readOnly: true });
  db.prepare("vacuum into ?").run(join(folder, "bare.db"));
  db.close();
  await pipeline(createReadStream(join(folder, "bare.db")), createGzip(), createWriteStream(join(folder, "bare.gz")));
});
const archive = join(folder, "one.crewroom");
const written = await cpuOf(() => writeArchive({ kind: "sqlite", path }, archive, "bench"));
const read = await cpuOf(() => checkArchive(archive));
const restored = await cpuOf(() => restoreScratch(join(folder, "scratch.db"), archive));
const store = await openSqlite({ path });
const verified = await cpuOf(() => verdictOn(store));
await store.close();

const rows = [
  ["vacuum into, and gzip", bare],
  ["backup", written],
  ["reading it back, every digest", read],
  ["restore", restored],
  ["verify", verified],
] as const;
process.stdout.write(
  `${messages} messages, a file of ${megabytes(path)}, an archive of ${megabytes(archive)} (bare: ${megabytes(join(folder, "bare.gz"))})\n`,
);
for (const [what, ms] of rows)
  process.stdout.write(
    `${what.padEnd(30)} ${(ms / bare).toFixed(2)} × bare, ${((ms * 1_000) / messages).toFixed(0)} µs a message\n`,
  );
rmSync(folder, { recursive: true });

async function fill() {
  const made = await openSqlite({ path });
  await made.write("main", (tx) => makeOrganization(tx, { id: "main", name: "Main", by: "bench" }));
  for (let from = 0; from < messages; from += 500) {
    await made.write("main", async (tx) => {
      for (let number = from; number < from + 500; number++) {
        const body = `Message ${number}: the poller on box2 is live, and the old sensors can be retired after ${number % 97} more days.`;
        const message = await insertOldMessage(
          tx,
          { organization: "main", room: 1 },
          { author: "box1", at: tx.now, body, reply_to: null },
        );
        appendEvents(tx, "main", "box1", [{ kind: "message", room: 1, message, detail: body, content: body }]);
      }
    });
  }
  await made.close();
}

/** Processor time (ms) of this process, which other work on the machine does not stretch as it does the clock's. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function megabytes(file: string): string {
  return `${(statSync(file).size / 1_000_000).toFixed(1)} MB`;
}
