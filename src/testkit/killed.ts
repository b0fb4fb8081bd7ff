import { once } from "node:events";
import type { HookMachine } from "./hook.ts";
import type { WatchMachine } from "./watch.ts";

/** Where a receiver is killed: at its question, its answer, its output, and what it notes of that. */
export const KILL_POINTS = [
  "before fetch",
  "after fetch",
  "before output",
  "after output",
  "before note",
  "after note",
] as const;
type KillPoint = (typeof KILL_POINTS)[number];

const PRELOAD = `--import=${new URL("kill-at.ts", import.meta.url).href}`;

function killedAt(point: KillPoint) {
  return { NODE_OPTIONS: PRELOAD, CREWROOM_TEST_KILL_AT: point };
}

/** Who sends, and what the sender can see. */
export interface Sender {
  /** Posts to the receiver, and gives the message's number. */
  send(body: string): Promise<number>;
  /** How far a message came to the receiver, as `get_receipts` says. */
  stateOf(message: number): Promise<string>;
}

/** How often a message was shown, and how often without the mark that it may have been before. */
interface Shown {
  all: number;
  unmarked: number;
}

/**
 * Sends in rounds; in each the hook is killed at one of the points, and then runs as it should. Gives what was wrong: a message that was
 * never shown, or twice without a mark, or counted as handed over before it was shown.
 */
export async function killHooks(
  hook: HookMachine,
  sender: Sender,
  { rounds, each }: { readonly rounds: number; readonly each: number },
): Promise<string[]> {
  const shown = new Map<number, Shown>();
  const problems: string[] = [];
  let killed = 0;

  function note(text: string) {
    for (const [label, number] of text.matchAll(/^m(\d+) by .*$/gm)) {
      const seen = shown.get(Number(number)) ?? { all: 0, unmarked: 0 };
      const isMarked = label.endsWith("perhaps shown before");
      shown.set(Number(number), { all: seen.all + 1, unmarked: seen.unmarked + (isMarked ? 0 : 1) });
    }
  }

  for (let round = 0; round < rounds; round++) {
    const point = KILL_POINTS[round % KILL_POINTS.length] ?? "before fetch";
    const sent = [];
    for (let n = 0; n < each; n++) sent.push(await sender.send(`round ${round}, ${n} 🦊`));
    const run = await hook.with(killedAt(point)).at("UserPromptSubmit");
    if (run.code === null) killed += 1;
    note(run.text);
    for (const number of sent) {
      if ((await sender.stateOf(number)) === "handed_over" && !shown.has(number))
        problems.push(`m${number} counted as handed over though the hook was killed ${point}`);
    }
    note((await hook.at("UserPromptSubmit")).text);
    for (const number of sent) if (!shown.has(number)) problems.push(`m${number} was lost, killed ${point}`);
  }
  // What was printed last is acknowledged with the next call.
  await hook.at("SessionEnd");
  for (const [number, { unmarked }] of shown) {
    if (unmarked > 1) problems.push(`m${number} was shown ${unmarked} times without a mark`);
    const state = await sender.stateOf(number);
    if (state !== "handed_over") problems.push(`m${number} was shown and is ${state}`);
  }
  if (killed !== rounds) problems.push(`only ${killed} of ${rounds} runs were killed`);
  return problems;
}

/** Starts watchers one after the other and kills each at a point. Gives what was wrong: a line twice, or a nudge that was none. */
export async function killWatchers(
  machine: WatchMachine,
  sender: Sender,
  { rounds }: { readonly rounds: number },
): Promise<string[]> {
  const told = new Map<number, number>();
  const problems: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const point = KILL_POINTS[round % KILL_POINTS.length] ?? "before fetch";
    const watcher = await machine.watch(killedAt(point));
    const ended = once(watcher.child, "close");
    const number = await sender.send(`round ${round} 🦊`);
    const lines: string[] = [];
    const reading = (async () => {
      for (;;) lines.push(await watcher.next());
    })().catch(() => undefined); // it ends with the watcher
    await ended;
    await reading;
    for (const [, name] of lines.join("\n").matchAll(/\bm(\d+) by /g))
      told.set(Number(name), (told.get(Number(name)) ?? 0) + 1);
    const state = await sender.stateOf(number);
    const isTold = told.has(number);
    if (state === "nudged" && !isTold) problems.push(`m${number} is nudged though the watcher was killed ${point}`);
    if (isTold !== ["after output", "before note", "after note"].includes(point))
      problems.push(`m${number} was ${isTold ? "" : "not "}told by a watcher killed ${point}`);
    if (point === "after note" && state !== "nudged") problems.push(`m${number} was told and noted, and is ${state}`);
  }
  for (const [number, times] of told) if (times > 1) problems.push(`m${number} had ${times} lines`);
  return problems;
}
