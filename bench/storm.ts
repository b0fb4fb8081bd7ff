// `npm run bench:storm`: what a storm of wrong sign-ins costs everybody else. A healthy member's calls with the storm and without,
// in turn. In the storm the owner of an attacked account signs in all the time from an address it is known by.
//   npm run bench:storm -- [rounds] [calls per round] [wrong sign-ins a second]
// In turn with it the same work elsewhere: the requests to an echo, the hashing in a process of its own. What that costs is
// the machine's part.
import { setTimeout as pause } from "node:timers/promises";
import { makeNobody } from "../src/testkit/actor.ts";
import { PASSWORD } from "../src/testkit/cast.ts";
import { wireOf } from "./calls.ts";
import { line, median } from "./figures.ts";
import { loadOn, startHasher, startLoad, startServer } from "./processes.ts";

const [rounds = 5, calls = 1_000, perSecond = 200] = process.argv.slice(2).map(Number);
const PAIRS = 64;
const ACCOUNTS = Array.from({ length: PAIRS }, (_, index) => [`asked${index}`, `asker${index}`]).flat();
/** Fewer than the hub keeps apart, so that none is turned away as one of a crowd. */
const ADDRESSES = 1_000;
const OWNER = { org_id: "main", user_id: "asked0", password: PASSWORD };
const OWNERS_ADDRESS = "192.0.2.7";
const OWNER_RESTS_MS = 250;
const TICK_MS = 20;
/** Until the line of those whose password is to be checked is full. */
const GATHERING_MS = 1_000;
let guesses = 0;

// Behind a proxy, so that the storm can come from many addresses.
const hub = await startServer("hub", 1_000, { BENCH_PROXIES: "127.0.0.1", BENCH_PAIRS: String(PAIRS) });
const [echo, load, hasher] = [await startServer("echo", 500), await startLoad(), startHasher()];
const owner = makeNobody(urlOf(hub.ready.port), OWNERS_ADDRESS);
await owner.call("login", OWNER); // from now on it is known there

const credential = `authorization: Bearer ${hub.ready.tokens["load0"]}`;
const CALLS = {
  list_tasks: wireOf("/api/list_tasks", { limit: 20 }, [credential]),
  post_message: wireOf("/api/post_message", { body: "The build is green again; I go on." }, [credential]),
};

console.log(
  `${rounds} rounds of ${calls} calls by one member; ${perSecond} wrong sign-ins a second. ÷ without them, medians.\n`,
);
console.log(line("", ["p50", "p99", "elsewhere p50", "elsewhere p99", "owner's p50"]));
for (const [name, wire] of Object.entries(CALLS)) await compare(name, wire);
for (const child of [hub, echo, load, hasher]) child.stop();

async function compare(name: string, wire: string) {
  const became = new Map<string, number>();
  const ratios: number[][] = [];
  let signedIn = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const quiet = await callsAlone(wire);
    const owner = await withOwner(wire);
    const stormy = await inStorm(hub.ready.port, became, () => withOwner(wire));
    await hasher.ask("hash");
    const elsewhere = await inStorm(echo.ready.port, new Map(), () => callsAlone(wire));
    await hasher.ask("rest");
    if (round === 0) continue; // warming up
    signedIn += stormy.owner.length;
    ratios.push([
      stormy.p50 / quiet.p50,
      stormy.p99 / quiet.p99,
      elsewhere.p50 / quiet.p50,
      elsewhere.p99 / quiet.p99,
      median(stormy.owner) / median(owner.owner),
    ]);
  }
  const cells = [0, 1, 2, 3, 4].map((column) => median(ratios.map((ratio) => ratio[column] ?? Number.NaN)));
  console.log(
    line(
      name,
      cells.map((cell) => cell.toFixed(2)),
    ),
  );
  const told = [...became].map(([code, count]) => `${count} ${code}`);
  console.log(
    `    the storm was told: ${told.join(", ")}; the owner signed in ${signedIn} times and was never refused`,
  );
}

/** How long the member's calls take, in ms. */
async function callsAlone(wire: string): Promise<{ readonly p50: number; readonly p99: number }> {
  const { p50, p99, failed } = await loadOn(load, hub, { callers: 1, calls, requests: [wire] });
  if (failed > 0) throw new Error(`${failed} of the member's calls failed.`);
  return { p50, p99 };
}

/** The same with each sign-in of the owner beside it, in ms; none is ever refused. */
async function withOwner(wire: string) {
  const ended = new AbortController();
  const signingIn = signInAgainAndAgain(ended.signal);
  const measured = await callsAlone(wire);
  ended.abort();
  return { ...measured, owner: await signingIn };
}

async function signInAgainAndAgain(ended: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  do {
    const began = performance.now();
    await owner.call("login", OWNER);
    times.push(performance.now() - began);
    await pause(OWNER_RESTS_MS);
  } while (!ended.aborted);
  return times;
}

/** Does `work` while wrong sign-ins come to a port at a steady rate, whatever comes back; counts what does. */
async function inStorm<Result>(
  port: number,
  became: Map<string, number>,
  work: () => Promise<Result>,
): Promise<Result> {
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    for (let due = 0; due < (perSecond * TICK_MS) / 1_000; due += 1) {
      const guess = guessAt(port).then((code) => void became.set(code, (became.get(code) ?? 0) + 1));
      open.add(guess);
      void guess.finally(() => open.delete(guess));
    }
  }, TICK_MS);
  await pause(GATHERING_MS);
  const result = await work();
  clearInterval(timer);
  await Promise.all(open);
  return result;
}

/** Each from another address, in turn at somebody's account and at one that nobody has. */
async function guessAt(port: number): Promise<string> {
  guesses += 1;
  const address = `198.18.${Math.floor((guesses % ADDRESSES) / 250)}.${guesses % 250}`;
  const user_id = guesses % 2 === 0 ? ACCOUNTS[(guesses / 2) % ACCOUNTS.length] : `nobody${guesses}`;
  const guess = { org_id: "main", user_id, password: `guess ${guesses}` };
  const reply = await makeNobody(urlOf(port), address).try("login", guess);
  return reply.ok ? "answered" : reply.code;
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
