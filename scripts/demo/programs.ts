import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

const SRC = join(import.meta.dirname, "../../src");

export type Environment = Readonly<Record<string, string>>;

/** A program that runs beside an agent's session, until it is told to end. */
export interface Beside extends AsyncDisposable {
  /** Its next line. */
  next(): Promise<string>;
}

/** The watcher: a client shows its lines to a session that is idle, and that wakes it. */
export async function watch(environment: Environment): Promise<Beside> {
  const child = spawn(process.execPath, [join(SRC, "agent/watch-main.ts")], {
    env: { ...environment, CREWROOM_WATCH_DEBUG: "1", CREWROOM_WATCH_MIN_INTERVAL: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await once(child.stderr, "data"); // it follows
  child.stderr.resume();
  return {
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error("The watcher ended.");
      return value;
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** One run of the hook, as a client runs it at an event of a session; gives what the model gets to read. */
export async function runHook(environment: Environment, event: string, fields: object = {}): Promise<string> {
  const child = spawn(process.execPath, [join(SRC, "agent/hook-main.ts")], {
    env: { ...environment, CREWROOM_HOOK_MIN_INTERVAL: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify({ session_id: "s1", hook_event_name: event, ...fields }));
  const out = await text(child.stdout);
  if (out === "") return "";
  const { hookSpecificOutput } = JSON.parse(out) as { hookSpecificOutput: { additionalContext: string } }; // the client's form
  return hookSpecificOutput.additionalContext.trimEnd();
}

/** A command of `crewroom`, to its end. */
export async function runCommand(environment: Environment, args: readonly string[]) {
  const child = spawn(process.execPath, [join(SRC, "main.ts"), ...args], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const out = await text(child.stdout);
  const [code] = (await ended) as [number | null]; // the event's first argument
  return { out: out.trimEnd(), code };
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
