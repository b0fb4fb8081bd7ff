// `node bench/bridge.ts [rounds]`: what the bridge costs the machine of an agent, and how fast news go by it. Measures the built files.
// Memory beside a bare `node` that waits; calls beside the same calls over HTTP, in turn; post → what the hook sees at the next tool's
// end, and post → line of the monitor.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { line, median, shareOf } from "./figures.ts";
import { startServer } from "./processes.ts";

const [rounds = 100] = process.argv.slice(2).map(Number);
const built = (name: string) => new URL(`../dist/crewroom-${name}.mjs`, import.meta.url).pathname;

const hub = await startServer("hub", 100);
const url = `http://127.0.0.1:${hub.ready.port}`;
const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-bridge-"));
const env = {
  PATH: process.env["PATH"],
  TMPDIR: folder,
  CREWROOM_URL: url,
  CREWROOM_TOKEN: hub.ready.tokens["box2"],
  CREWROOM_WATCH_DEBUG: "1",
  CREWROOM_WATCH_MIN_INTERVAL: "0",
  CLAUDE_CODE_SESSION_ID: "bench",
  CLAUDE_PID: String(process.pid),
};

const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { env, stdio: "ignore" });
const bridge = spawn(process.execPath, [built("bridge")], { env, stdio: ["pipe", "pipe", "pipe"] });
const monitor = spawn(process.execPath, [built("monitor")], { env, stdio: ["ignore", "pipe", "ignore"] });
const answers = createInterface({ input: bridge.stdout })[Symbol.asyncIterator]();
const lines = createInterface({ input: monitor.stdout })[Symbol.asyncIterator]();
let said = "";
bridge.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
while (!said.includes("follows ")) await once(bridge.stderr, "data");
await pause(3_000);

console.log(line("", ["MB", "÷ bare node"]));
memoryOf("bare node that waits", bare);
memoryOf("bridge, just begun", bridge);
memoryOf("monitor", monitor);

const calls = { bridge: [] as number[], http: [] as number[] };
for (let round = 0; round < rounds * 5; round++) {
  calls.bridge.push(await timed(() => throughBridge(round)));
  calls.http.push(await timed(() => overHttp(round)));
}

let news = readSignal();
const seen: number[] = [];
const printed: number[] = [];
for (let round = 0; round < rounds; round++) {
  await pause(20); // whatever the rhythm of the monitor
  const started = performance.now();
  await post(`@box2 round ${round}`);
  await until(() => readSignal() !== news);
  news = readSignal();
  seen.push(performance.now() - started);
  await lines.next();
  printed.push(performance.now() - started);
}
memoryOf(`bridge, after ${rounds * 5} calls, ${rounds} news`, bridge);

console.log(line("", ["p50 ms", "p99 ms", "÷ HTTP, p50"]));
const ratio = median(calls.bridge.map((ms, at) => ms / (calls.http[at] ?? ms)));
console.log(line("read_messages over HTTP", [...spread(calls.http), ""]));
console.log(line("the same through the bridge", [...spread(calls.bridge), ratio.toFixed(2)]));
console.log(line("post → seen by a hook", [...spread(seen), ""]));
console.log(line("post → line of the monitor", [...spread(printed), ""]));

for (const child of [bare, bridge, monitor]) child.kill("SIGKILL");
hub.stop();
rmSync(folder, { recursive: true });

function spread(values: readonly number[]): string[] {
  return [median(values).toFixed(1), shareOf(values, 0.99).toFixed(1)];
}

/** @source proc(5): VmRSS, in kB. */
function memoryOf(name: string, { pid }: ChildProcess) {
  const mb = (of: number | undefined) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${of}/status`, "utf8"))?.[1]) / 1_024;
  console.log(line(name, [mb(pid).toFixed(0), (mb(pid) / mb(bare.pid)).toFixed(2)]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function callOf(id: number) {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "read_messages", arguments: { limit: 5 } },
  });
}

async function throughBridge(id: number) {
  bridge.stdin.write(`${callOf(id)}\n`);
  const { value } = await answers.next();
  if ((JSON.parse(String(value)) as { result?: { isError?: true } }).result?.isError !== undefined)
    throw new Error(value);
}

async function overHttp(id: number) {
  const headers = { authorization: `Bearer ${hub.ready.tokens["box2"]}`, "content-type": "application/json" };
  const response = await fetch(`${url}/mcp`, { method: "POST", headers, body: callOf(id) });
  if (!response.ok) throw new Error(await response.text());
  await response.text();
}

async function post(body: string) {
  const headers = { authorization: `Bearer ${hub.ready.tokens["box1"]}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/post_message`, { method: "POST", headers, body: JSON.stringify({ body }) });
  if (!response.ok) throw new Error(await response.text());
}

/** The place that the hook would read; the files are the agent's own. */
function readSignal(): string {
  const own = readdirSync(folder).find((name) => name.startsWith("crewroom-")) ?? "";
  const file = readdirSync(join(folder, own)).find((name) => name.endsWith(".signal"));
  if (file === undefined) return "";
  return (JSON.parse(readFileSync(join(folder, own, file), "utf8")) as { news: string }).news;
}

async function until(isTrue: () => boolean) {
  while (!isTrue()) await pause(1);
}
