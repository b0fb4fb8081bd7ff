// One hot organization on Postgres: events a second through the hub's door and over /api, beside SQLite in the same run.
//   npm run bench:postgres
import { startPostgres } from "../test/postgres.mjs";
import { variants } from "./calls.ts";
import { median } from "./figures.ts";
import { type Child, loadOn, startLoad, startServer } from "./processes.ts";

const [rounds = 5] = process.argv.slice(2).map(Number);
const postgres = await startPostgres({ durable: true });
const load = await startLoad();
const onPostgres = await startServer("hub", 1_000, { BENCH_POSTGRES_URL: postgres.url });
const onSqlite = await startServer("hub", 1_000);

const rates: { postgres: number; sqlite: number }[] = [];
for (let round = -1; round < rounds; round++) {
  const measured = { postgres: await rateOf(onPostgres), sqlite: await rateOf(onSqlite) };
  if (round >= 0) rates.push(measured);
}
const middle = (pick: (rate: (typeof rates)[number]) => number) => median(rates.map(pick));
console.log("post_message over /api at 64 callers in one organization, medians of the rounds.\n");
console.log(`  Postgres: events a second          ${middle((rate) => rate.postgres).toFixed(0)}`);
console.log(
  `  Postgres ÷ SQLite                  ${(middle((rate) => rate.postgres) / middle((rate) => rate.sqlite)).toFixed(2)}`,
);
for (const child of [load, onPostgres, onSqlite]) child.stop();
await postgres.stop();

async function rateOf(hub: Child): Promise<number> {
  const post = variants(hub.ready, 64).find((one) => one.name === "/api       post_message");
  if (!post) throw new Error("There is no post_message.");
  const { seconds, failed } = await loadOn(load, hub, { callers: 64, calls: 4_000, requests: post.requests });
  if (failed > 0) throw new Error(`${failed} calls failed`);
  return 4_000 / seconds;
}
