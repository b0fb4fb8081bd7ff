// `npm run bench:delivery -- [posts] [lines]`: how fast a post reaches whom it names. From the post being sent: to its answer, to the line
// of the stream, to the watcher's line that wakes an idle agent; and what the hook brings at the next end of a tool. Then what the hook
// costs, see hook.ts. Measures the built programs; times are of one run, one after the other, so that a busy machine slows all alike.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { followStream } from "../src/client/event-stream.ts";
import { line, shareOf } from "./figures.ts";
import { startServer } from "./processes.ts";

// Fewer lines than an agent is woken within an hour.
const [posts = 300, lines = 40] = process.argv.slice(2).map(Number);
const built = (name: string) => new URL(`../dist/crewroom-${name}.mjs`, import.meta.url).pathname;

const hub = await startServer("hub", 100);
const url = `http://127.0.0.1:${hub.ready.port}`;
const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-delivery-"));
const env = {
  PATH: process.env["PATH"],
  TMPDIR: folder,
  CREWROOM_URL: url,
  CREWROOM_TOKEN: hub.ready.tokens["box2"],
  CREWROOM_WATCH_MIN_INTERVAL: "0",
  CREWROOM_HOOK_MIN_INTERVAL: "0",
};

/** What happened to one post, in ms from its sending. */
interface Passed {
  readonly answered: number;
  readonly arrived: number;
}

console.log(`from a post being sent                 p50 ms        p99 ms   p50 ÷ answer`);
const streamed = await throughStream();
tell("answer", streamed, ({ answered }) => answered);
tell("line of the stream", streamed, ({ arrived }) => arrived);
const watched = await throughWatcher();
tell("line of the watcher, idle agent", watched, ({ arrived }) => arrived);
const hooked = await throughHook();
tell("text of the hook, next tool's end", hooked, ({ arrived }) => arrived);
console.log(`  ${hooked.length} of ${lines} posts were in the hook's text at the first end of a tool behind them`);
hub.stop();
rmSync(folder, { recursive: true });
// It takes its own rounds.
process.argv.splice(2);
await import("./hook.ts");

function tell(name: string, passed: readonly Passed[], of: (one: Passed) => number) {
  const times = passed.map(of);
  const answers = passed.map(({ answered }) => answered);
  const cells = [shareOf(times, 0.5).toFixed(1), shareOf(times, 0.99).toFixed(1)];
  console.log(line(name, [...cells, (shareOf(times, 0.5) / shareOf(answers, 0.5)).toFixed(2)]));
}

async function throughStream(): Promise<Passed[]> {
  const control = new AbortController();
  const connection = { url, token: hub.ready.tokens["box2"] };
  const opened = Promise.withResolvers<void>();
  const onChange = (change: unknown) => change === "open" && opened.resolve();
  const frames = followStream(connection, { after: "now", signal: control.signal, onChange });
  let arrival = nextOf(frames);
  await opened.promise;
  const passed: Passed[] = [];
  for (let post = 0; post < posts; post++) {
    passed.push(await timed(arrival));
    arrival = nextOf(frames);
  }
  control.abort();
  return passed;
}

/** Resolves with the next event of the stream. */
async function nextOf(frames: AsyncGenerator<{ readonly event: string }>): Promise<void> {
  for (;;) {
    const { value, done } = await frames.next();
    if (done || value.event === "activity") return;
  }
}

async function throughWatcher(): Promise<Passed[]> {
  const watcher = spawn(process.execPath, [built("watch")], { env: { ...env, CREWROOM_WATCH_DEBUG: "1" } });
  const printed = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]();
  for await (const said of createInterface({ input: watcher.stderr })) if (said.includes("follows ")) break;
  const passed: Passed[] = [];
  for (let post = 0; post < lines; post++) passed.push(await timed(printed.next()));
  watcher.kill("SIGKILL");
  return passed;
}

/** The end of a tool comes right behind the post's answer; the time has the start of the hook's process in it. */
async function throughHook(): Promise<Passed[]> {
  const passed: Passed[] = [];
  const atTool = () =>
    spawnSync(process.execPath, [built("hook")], {
      env,
      input: JSON.stringify({ session_id: "bench", hook_event_name: "PostToolBatch" }),
      encoding: "utf8",
    });
  atTool();
  for (let post = 0; post < lines; post++) {
    const sent = performance.now();
    await send(`@box2 number ${post} of the hook`);
    const answered = performance.now() - sent;
    const { stdout } = atTool();
    if (stdout.includes(`number ${post} of the hook`)) passed.push({ answered, arrived: performance.now() - sent });
  }
  return passed;
}

/** Posts, and gives how long its answer took, and its arrival. */
async function timed(arrival: Promise<unknown>): Promise<Passed> {
  const sent = performance.now();
  const since = () => performance.now() - sent;
  const [answered, arrived] = await Promise.all([send("@box2 look").then(since), arrival.then(since)]);
  return { answered, arrived };
}

async function send(body: string) {
  const headers = { authorization: `Bearer ${hub.ready.tokens["box1"]}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/post_message`, { method: "POST", headers, body: JSON.stringify({ body }) });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}
