// `npm run bench`: calls over /api and /mcp (both eras) at 1, 16 and 64 callers, each round beside a bare node:http JSON echo
// whose answer has the same size. Prints ratios, medians over the rounds; an absolute figure says more of the machine.
//   npm run bench -- [rounds] [calls per round] [callers …]
import { type Variant, variants } from "./calls.ts";
import { median } from "./figures.ts";
import { loadOn, openEchoes, startLoad, startServer } from "./processes.ts";

const [rounds = 5, calls = 3_000, ...callerCounts] = process.argv.slice(2).map(Number);
const CALLERS = callerCounts.length > 0 ? callerCounts : [1, 16, 64];

const hub = await startServer("hub", 1_000);
const load = await startLoad();
const echoes = openEchoes();

console.log(
  `${rounds} rounds; every figure is a ratio to a bare node:http JSON echo with an answer of the same size.\n`,
);
for (const callers of CALLERS) {
  console.log(
    `${callers} caller${callers === 1 ? "" : "s"}                      calls/s ÷ echo   CPU ÷ echo   p50 ÷ echo   p99 ÷ echo   CPU µs a call`,
  );
  for (const variant of variants(hub.ready, callers)) await compare(variant, callers);
  console.log("");
}
for (const child of [hub, load, echoes]) child.stop();

async function compare(variant: Variant, callers: number) {
  const count = callers === 1 ? Math.ceil(calls / 5) : calls;
  const echo = await echoes.of(variant.answerBytes);
  if (variant.behind !== undefined) await hub.ask({ behind: variant.behind });
  const ratios: { rate: number; cpu: number; p50: number; p99: number; us: number }[] = [];
  for (let round = -1; round < rounds; round++) {
    const requests = requestsOf(variant, round + 1, count);
    const ours = await loadOn(load, hub, { callers, calls: count, requests });
    const theirs = await loadOn(load, echo, { callers, calls: count, requests });
    if (ours.failed > 0) throw new Error(`${variant.name}: ${ours.failed} calls failed`);
    if (round < 0) continue; // warming up
    ratios.push({
      rate: theirs.seconds / ours.seconds,
      cpu: ours.cpu / theirs.cpu,
      p50: ours.p50 / theirs.p50,
      p99: ours.p99 / theirs.p99,
      us: ours.cpu / count,
    });
  }
  const of = (pick: (ratio: (typeof ratios)[number]) => number) => median(ratios.map(pick));
  const cells = [
    of((r) => r.rate).toFixed(2),
    of((r) => r.cpu).toFixed(1),
    of((r) => r.p50).toFixed(1),
    of((r) => r.p99).toFixed(1),
    of((r) => r.us).toFixed(0),
  ];
  console.log(`  ${variant.name.padEnd(36)}${cells.map((cell) => cell.padStart(13)).join("")}`);
}

/** Each round takes the next ones where each is to be sent once, such as those with a key; the others come again. */
function requestsOf({ requests }: Variant, round: number, count: number): readonly string[] {
  return requests.length < count ? requests : requests.slice(round * count, (round + 1) * count);
}
