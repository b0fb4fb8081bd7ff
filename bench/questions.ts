// `npm run bench:questions`: how soon a question and its answer are with whom they are for, what the calls cost, and what the
// loop weighs for the models. On SQLite, and on Postgres too where BENCH_POSTGRES_URL names an empty database.
//   npm run bench:questions -- [rounds] [samples per round]
import { openEchoes, startLoad, startServer } from "./processes.ts";
import { compareCalls } from "./question-calls.ts";
import { weighLoop } from "./question-tokens.ts";
import { compareWays } from "./question-ways.ts";

const [rounds = 5, samples = 100] = process.argv.slice(2).map(Number);
const PAIRS = 64;

const postgres = process.env["BENCH_POSTGRES_URL"];
const stores = { SQLite: "", ...(postgres && { Postgres: postgres }) };
const poll = await startServer("poll", 0);
const load = await startLoad();
const echoes = openEchoes();

console.log(`${rounds} rounds; ratios of the same round, medians of the rounds.\n`);
for (const [name, url] of Object.entries(stores)) {
  const hub = await startServer("hub", 1_000, { BENCH_PAIRS: String(PAIRS), BENCH_POSTGRES_URL: url });
  if (url === "") {
    console.log("Tokens of one question, as the models see it");
    await weighLoop(hub);
  }
  console.log(`\n${name}: from the call to the waiting one, ${samples} a round`);
  await compareWays(hub, poll, { rounds, samples });
  console.log(`\n${name}: calls at ${PAIRS} callers`);
  await compareCalls({ hub, load, echoes, pairs: PAIRS }, rounds);
  hub.stop();
}
for (const child of [poll, load, echoes]) child.stop();
