import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Ended } from "./command.ts";

const SOURCE = fileURLToPath(new URL("../agent/watch-main.ts", import.meta.url));

/** A parent that starts a watcher, and says its process id once it follows. */
const PARENT = `const child = require("node:child_process").spawn(process.execPath, [process.argv[1]], { stdio: ["ignore", "ignore", "pipe"] });
child.stderr.once("data", () => console.log(child.pid));`;

/** A watcher as a process of its own. */
export interface Watcher extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The next line that it prints. */
  next(): Promise<string>;
  /** Resolves once it has said on standard error that it follows, or something else. */
  says(words: string): Promise<void>;
}

/** A machine on which watchers run: its folder for temporary files is its own. */
export interface WatchMachine extends Disposable {
  readonly folder: string;
  /** Starts a watcher of session `s1` and waits until it follows. */
  watch(environment?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<Watcher>;
  /** The same without waiting. */
  start(environment?: Readonly<Record<string, string>>, args?: readonly string[]): Watcher;
  /** Gives the process id of one whose parent was killed after it had begun to watch. */
  orphan(): Promise<number>;
  /** Runs it to its end. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
}

export function watchMachine(
  { url, token }: { readonly url: string; token(handle: string): string },
  handle: string,
): WatchMachine {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-watch-"));
  const own = {
    PATH: process.env["PATH"] ?? "",
    TMPDIR: folder,
    TEMP: folder,
    CREWROOM_URL: url,
    CREWROOM_TOKEN: token(handle),
    CREWROOM_WATCH_DEBUG: "1",
    CREWROOM_WATCH_MIN_INTERVAL: "0",
    CLAUDE_CODE_SESSION_ID: "s1",
  };
  function start(environment: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Watcher {
    return watcherOf(spawn(process.execPath, [SOURCE, ...args], { env: { ...own, ...environment } }));
  }
  return {
    folder,
    start,
    async watch(environment, args) {
      const watcher = start(environment, args);
      await watcher.says("follows ");
      return watcher;
    },
    async orphan() {
      const parent = spawn(process.execPath, ["-e", PARENT, SOURCE], { env: own });
      parent.stdout.setEncoding("utf8");
      const [said] = (await once(parent.stdout, "data")) as [string]; // the event's first argument
      const ended = once(parent, "exit");
      parent.kill("SIGKILL");
      await ended;
      return Number(said);
    },
    async run(args, environment = {}) {
      const child = spawn(process.execPath, [SOURCE, ...args], { env: { ...own, ...environment } });
      const printed = { out: "", err: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.out += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.err += text));
      const [code] = (await once(child, "close")) as [number | null]; // the event's first argument
      return { code, ...printed };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function watcherOf(child: ReturnType<typeof spawn>): Watcher {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("The watcher has no output.");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  return {
    child,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The watcher ended: ${said}`);
      return value;
    },
    async says(words) {
      while (!said.includes(words)) {
        if (child.exitCode !== null) throw new Error(`The watcher ended: ${said}`);
        await Promise.race([once(stderr, "data"), once(child, "exit")]);
      }
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
