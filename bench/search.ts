// Search over many messages beside a bare FTS5 query over the same texts: `npm run bench:search -- [messages] [rounds] [sqlite|postgres]`.
// The bare one finds rowids in a table of its own; ours cuts the query into words, asks for what the caller may see, and reads the rows.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { execute } from "../src/core/execute.ts";
import { addRoomText } from "../src/features/search/room-texts.ts";
import { search } from "../src/features/search/search.ts";
import { sql } from "../src/store/sql.ts";
import { startTestHub } from "../src/testkit/hub.ts";
import { startPostgres } from "../test/postgres.mjs";
import { line, shareOf } from "./figures.ts";
import { answerTo } from "./words.ts";

const [messages = 50_000, rounds = 30] = process.argv.slice(2, 4).map(Number);
const kind = process.argv[4] === "postgres" ? "postgres" : "sqlite";
const PAGE = 500;

const postgres = kind === "postgres" ? await startPostgres({ durable: true }) : undefined;
if (postgres) process.env["CREWROOM_TEST_POSTGRES_URL"] = postgres.url;
const hub = await startTestHub(kind);
const folder = mkdtempSync(join(tmpdir(), "crewroom-search-"));
const bare = new DatabaseSync(join(folder, "bare.db"));
bare.exec("pragma journal_mode = wal; create virtual table texts using fts5 (body)");

const filling = { ours: 0, bare: 0 };
for (let from = 0; from < messages; from += PAGE) {
  const started = performance.now();
  await writePage(from);
  filling.ours += performance.now() - started;
  const again = performance.now();
  bare.exec("begin");
  const insert = bare.prepare("insert into texts (rowid, body) values (?, ?)");
  for (let number = from + 1; number <= from + PAGE; number++) insert.run(number, textOf(number));
  bare.exec("commit");
  filling.bare += performance.now() - again;
}
console.log(
  `${messages} messages on ${kind}; filling ours took ${(filling.ours / filling.bare).toFixed(1)} times the bare one.\n`,
);

const caller = await hub.hub.callers.byToken(hub.token("box1"), { address: "::1", session: "-" });
const ASKED = {
  "one of all": String(messages / 2),
  "a sixty-fourth of all": "rotates invoices",
  "a half of all": "pauses queue staging",
  "every one": "nothing is lost",
  "none, of two common words": "europeanx waits",
};
console.log(line("20 newest that have …", ["found", "CPU ÷ bare", "CPU µs", "p50 ÷ bare", "p99 ÷ bare"]));
for (const [name, query] of Object.entries(ASKED)) {
  const times = { ours: [] as number[], bare: [] as number[] };
  const cpu = { ours: 0, bare: 0 };
  let count = 0;
  for (let round = -3; round < rounds; round++) {
    const before = process.cpuUsage();
    const started = performance.now();
    const { value } = await execute(hub.hub.core, search, { caller, input: { query } });
    const middle = performance.now();
    const between = process.cpuUsage(before);
    const half = process.cpuUsage();
    const match = query
      .split(" ")
      .map((word) => `"${word}"`)
      .join(" ");
    bare.prepare("select rowid, body from texts where texts match ? order by rowid desc limit 20").all(match);
    const ended = performance.now();
    const rest = process.cpuUsage(half);
    count = Number(value["count"]);
    if (round < 0) continue; // warming up
    times.ours.push(middle - started);
    times.bare.push(ended - middle);
    cpu.ours += between.user + between.system;
    cpu.bare += rest.user + rest.system;
  }
  const ratio = (share: number) => (shareOf(times.ours, share) / shareOf(times.bare, share)).toFixed(1);
  console.log(
    line(name, [
      String(count),
      (cpu.ours / cpu.bare).toFixed(1),
      (cpu.ours / rounds).toFixed(0),
      ratio(0.5),
      ratio(0.99),
    ]),
  );
}
bare.close();
rmSync(folder, { recursive: true });
await hub[Symbol.asyncDispose]();
await postgres?.stop();

async function writePage(from: number) {
  await hub.hub.store.write("main", async (tx) => {
    const rows = Array.from({ length: PAGE }, (_, index) => {
      const number = from + index + 1;
      return ["main", 1, number, "box1", 1_700_000_000_000 + number * 1_000, textOf(number), number];
    });
    await tx.run(sql`
      insert into messages (organization, room, number, author, at, body, thread)
      values ${sql.rows(rows)}`);
    for (const [, , number, , , text] of rows)
      addRoomText(tx, { organization: "main", kind: "message", room: 1, id: String(number) }, String(text));
  });
}

function textOf(number: number): string {
  return answerTo(number);
}
