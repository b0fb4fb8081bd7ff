// `npm run bench:files`: files up and down at 1 and 8 callers, each round beside a bare node:http server that streams as many
// bytes: down out of memory; up to nowhere, and into a file with an fsync, which is what a durable answer costs at least.
// Prints ratios, medians over the rounds.
//   npm run bench:files -- [rounds] [calls per round]      BENCH_POSTGRES=1 for Postgres
import { startPostgres } from "../test/postgres.mjs";
import { line, median } from "./figures.ts";
import { type Child, loadOn, startLoad, startServer } from "./processes.ts";

const [rounds = 5, calls = 40] = process.argv.slice(2).map(Number);
const SIZES = [16_000, 250_000, 1_000_000];
const CALLERS = [1, 8];

const postgres = process.env["BENCH_POSTGRES"] ? await startPostgres({ durable: true }) : undefined;
const environment = { BENCH_FILE_QUOTA_MB: "100000", ...(postgres && { BENCH_POSTGRES_URL: postgres.url }) };
const hub = await startServer("hub", 1_000, environment);
const load = await startLoad();
const authorization = `Authorization: Bearer ${hub.ready.tokens["box1"] ?? ""}`;

console.log(`${rounds} rounds of ${calls} files, on ${postgres ? "Postgres" : "SQLite"}.\n`);
console.log(line("", ["rate ÷ bare", "CPU ÷ bare", "rate ÷ disk", "CPU ms a file"]));
let file = 0;
for (const size of SIZES) {
  const bare = await startServer("files", size);
  const put = post("/v1/files?name=a", size);
  await loadOn(load, hub, { callers: 1, calls: 1, requests: [put] });
  file += 1;
  for (const callers of CALLERS) {
    const name = `${size / 1_000} KB, ${callers} caller${callers === 1 ? "" : "s"}`;
    const up = [
      await compare(bare, callers, [put], [post("/", size)]),
      await compare(bare, callers, [put], [post("/disk", size)]),
    ];
    console.log(line(`up, ${name}`, [up[0]?.rate ?? "", up[0]?.cpu ?? "", up[1]?.rate ?? "", up[0]?.ms ?? ""]));
    const down = await compare(bare, callers, [get(`/v1/files/${file}`)], [get("/")]);
    console.log(line(`down, ${name}`, [down.rate, down.cpu, "", down.ms]));
    file += 2 * calls * (rounds + 1);
  }
  bare.stop();
}
for (const child of [hub, load]) child.stop();
await postgres?.stop();

async function compare(bare: Child, callers: number, requests: readonly string[], theirs: readonly string[]) {
  const ratios: { rate: number; cpu: number; ms: number }[] = [];
  for (let round = -1; round < rounds; round++) {
    const ours = await loadOn(load, hub, { callers, calls, requests });
    const others = await loadOn(load, bare, { callers, calls, requests: theirs });
    if (ours.failed + others.failed > 0) throw new Error(`${ours.failed} and ${others.failed} calls failed`);
    if (round < 0) continue; // warming up
    ratios.push({ rate: others.seconds / ours.seconds, cpu: ours.cpu / others.cpu, ms: ours.cpu / calls / 1_000 });
  }
  const of = (pick: (ratio: (typeof ratios)[number]) => number) => median(ratios.map(pick)).toFixed(2);
  return { rate: of((ratio) => ratio.rate), cpu: of((ratio) => ratio.cpu), ms: of((ratio) => ratio.ms) };
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`;
}

function post(path: string, size: number): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`;
}
