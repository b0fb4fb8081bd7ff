// `node bench/hook.ts [rounds]`: what the hook costs an agent: a run beside a bare `node -e 0`, in turn, round by round; what it
// prints when nothing is new; tokens of what it prints when something is. Measures the built file. The least of the rounds is
// what it costs by itself, the middle one what a busy machine makes of it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer";
import { startServer } from "./processes.ts";

const [rounds = 30] = process.argv.slice(2).map(Number);
const HOOK = new URL("../dist/crewroom-hook.mjs", import.meta.url).pathname;

const hub = await startServer("hub", 100);
const url = `http://127.0.0.1:${hub.ready.port}`;
const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-hook-"));
const env = { PATH: process.env["PATH"], TMPDIR: folder, CREWROOM_URL: url, CREWROOM_TOKEN: hub.ready.tokens["box2"] };

interface Run {
  readonly ms: number;
  readonly out: string;
}

const bare = (): Run => run(["-e", "0"], "");
const VARIANTS: Readonly<Record<string, () => Run>> = {
  "between tools, checked a moment ago": () => atEvent("PostToolBatch"),
  "at a prompt, nothing new": () => atEvent("UserPromptSubmit"),
  "at the end of a turn, nothing new": () => atEvent("Stop"),
};

for (let seen = 0; seen < 3; seen++) atEvent("UserPromptSubmit"); // what is in the room already
console.log(
  `${rounds} rounds                                least ÷ node -e 0   ms beyond it   median ÷   bytes printed`,
);
for (const [name, variant] of Object.entries(VARIANTS)) {
  const pairs = Array.from({ length: rounds }, () => ({ without: bare(), with: variant() }));
  const least = {
    without: leastOf(pairs.map(({ without }) => without)),
    with: leastOf(pairs.map((pair) => pair.with)),
  };
  const cells = [
    (least.with / least.without).toFixed(2),
    (least.with - least.without).toFixed(0),
    median(pairs.map((pair) => pair.with.ms / pair.without.ms)).toFixed(2),
    String(Math.max(...pairs.map((pair) => Buffer.byteLength(pair.with.out)))),
  ];
  console.log(`  ${name.padEnd(38)}${cells.map((cell) => cell.padStart(14)).join("")}`);
}
for (const count of [1, 5, 20]) {
  for (let number = 1; number <= count; number++) await post(`@box2 The poller on host ${number} is live again.`);
  const { hookSpecificOutput } = JSON.parse(atEvent("UserPromptSubmit").out) as {
    hookSpecificOutput: { additionalContext: string };
  }; // the hook's own form
  const tokens = countTokens(hookSpecificOutput.additionalContext);
  console.log(`  ${count} short messages: ${tokens} tokens, ${(tokens / count).toFixed(0)} each`);
}
hub.stop();
rmSync(folder, { recursive: true });

function atEvent(name: string): Run {
  return run([HOOK], JSON.stringify({ session_id: "bench", hook_event_name: name }));
}

function run(args: readonly string[], input: string): Run {
  const started = performance.now();
  const { stdout, status } = spawnSync(process.execPath, args, { env, input, encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}.`);
  return { ms: performance.now() - started, out: stdout };
}

async function post(body: string) {
  const headers = { authorization: `Bearer ${hub.ready.tokens["box1"]}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/post_message`, { method: "POST", headers, body: JSON.stringify({ body }) });
  if (!response.ok) throw new Error(await response.text());
}

function leastOf(runs: readonly Run[]): number {
  return Math.min(...runs.map(({ ms }) => ms));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
