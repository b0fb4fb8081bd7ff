// Starts a hub on a free port and plays a story on it: an answer from the question to its arrival over two kill -9 of the hub, and a
// race for a task. A browser can look on. Ends by itself, or with Ctrl-C; leaves nothing behind.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { styleText } from "node:util";
import { tellOfAnAnswer, type Telling } from "./demo/answer-story.ts";
import { tellOfARace } from "./demo/race-story.ts";
import { openStage, type Stage } from "./demo/stage.ts";

/** Where the recording stands. */
export const RECORDING = join(import.meta.dirname, "../docs/demo.txt");

/** So long (ms) what runs beside the agents may take to end. */
const GRACE = 3_000;

/**
 * @param signal  breaks it off; then too nothing is left behind.
 * @returns who raced, the winner first; nobody when it was broken off.
 */
export async function playDemo(telling: Telling, signal: AbortSignal): Promise<readonly string[]> {
  await using stage = await openStage();
  const story = tell(stage, telling);
  const broken = new Promise<"broken">((resolve) => signal.addEventListener("abort", () => resolve("broken")));
  const told = await Promise.race([story, broken]);
  if (told !== "broken") return told;
  await stage.hub[Symbol.asyncDispose]();
  await Promise.race([story.catch(() => undefined), pause(GRACE)]);
  return [];
}

async function tell(stage: Stage, telling: Telling): Promise<readonly string[]> {
  await tellOfAnAnswer(stage, telling);
  const racers = await tellOfARace(stage, telling);
  telling.line("\nThat was all. Its folder goes now, and nothing stays.");
  await telling.watch(30);
  return racers;
}

/** A play without pauses, and with what differs each time left out. */
export async function recordDemo(): Promise<string> {
  const lines: string[] = [];
  const telling: Telling = {
    line: (line, who) => void lines.push(who ? `${who.padEnd(6)}  ${line}` : line),
    title: (title) => void lines.push(`\n${title}\n`),
    watch: async () => undefined,
  };
  const racers = await playDemo(telling, new AbortController().signal);
  const text = racers.reduce((all, name, at) => all.replaceAll(name, NAMES[at] ?? name), `${lines.join("\n")}\n`);
  return VARIES.reduce((all, [found, instead]) => all.replaceAll(found, instead), text);
}

/** By the order in which they came in; as long as the names are. */
const NAMES = ["<won>", "<2nd>", "<3rd>"];

const VARIES: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/([\w.]+):\d+(\/[\w-]{22})?/g, "http://$1:<port>"],
  [/process \d+/g, "process <pid>"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/\b\d\d:\d\dZ/g, "<time>"],
  [/\b[0-9a-f]{64}\b/g, "<hash>"],
];

const COLOURS = { annbot: "cyan", benbot: "magenta", ben: "yellow", hub: "green" } as const;

function tellAtTerminal(isFast: boolean, signal: AbortSignal): Telling {
  return {
    line(line, who) {
      if (who === undefined) return console.log(line);
      const colour = who in COLOURS ? COLOURS[who as keyof typeof COLOURS] : "blue"; // as just asked
      console.log(`${styleText(colour, who.padEnd(6))}  ${line.startsWith("    ") ? line : styleText("dim", line)}`);
    },
    title: (title) => console.log(`\n${styleText("bold", title)}\n`),
    watch: (seconds) =>
      isFast ? Promise.resolve(undefined) : pause(seconds * 1_000, undefined, { ref: false, signal }),
  };
}

async function playHere() {
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => over.abort());
  process.stdout.on("error", () => over.abort()); // nobody reads on
  await playDemo(tellAtTerminal(process.argv.includes("--fast"), over.signal), over.signal);
  // What was broken off may still wait for something.
  process.exit();
}

if (import.meta.main) {
  if (process.argv.includes("--record")) writeFileSync(RECORDING, await recordDemo());
  else await playHere();
}
