import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { runCommandLine } from "../cli/program.ts";
import type { Value } from "./actor.ts";

export type Environment = Readonly<Record<string, string>>;

/** How a command ended and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const PROGRAM = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The command line as a process of its own, with these settings and none of the test's. */
export function spawnCommand(args: readonly string[], environment: Environment): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  return spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH, HOME, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs a command as a process of its own to its end. */
export async function runProcess(args: readonly string[], environment: Environment, input = ""): Promise<Ended> {
  const child = spawnCommand(args, environment);
  const printed = { out: "", err: "" };
  child.stdout?.on("data", (text: Buffer) => (printed.out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (printed.err += text.toString()));
  child.stdin?.end(input);
  const [code] = (await once(child, "close")) as [number | null]; // the event's first argument
  return { code, ...printed };
}

/** Runs a command in this process, as at a terminal of its own; `process.env` must be set for it. */
export async function runHere(args: readonly string[]): Promise<Ended> {
  const printed = { out: "", err: "" };
  const code = await runCommandLine(args, "crewroom", {
    out: (text) => (printed.out += text),
    err: (text) => (printed.err += text),
    isTty: false,
  });
  return { code, ...printed };
}

/** Runs a command in this process, as with these settings and no others. */
export async function runWith(environment: Environment, args: readonly string[]): Promise<Ended> {
  for (const name of ["CREWROOM_DB", "DATABASE_URL", "CREWROOM_SECRET_KEY"]) vi.stubEnv(name, environment[name] ?? "");
  try {
    return await runHere(args);
  } finally {
    vi.unstubAllEnvs();
  }
}

/** A server as its operator runs it. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  /** Its first line. */
  readonly said: Value;
  /** Asks it to stop, and gives how it ended. */
  stop(): Promise<number | null>;
}

/** Starts `crewroom serve --json` and waits until it serves. */
export async function serveProcess(environment: Environment): Promise<ServerProcess> {
  const child = spawnCommand(["serve", "--json"], { PORT: "0", CREWROOM_LOG: "silent", ...environment });
  let trouble = "";
  child.stderr?.on("data", (text: Buffer) => (trouble += text.toString()));
  if (!child.stdout) throw new Error("The server has no output.");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), once(child, "exit").then(() => undefined)]);
  if (!first) throw new Error(`The server did not start: ${trouble}`);
  const said = JSON.parse(String(first[0])) as Value; // one object, by --json
  async function stop() {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    return child.exitCode;
  }
  return { url: String(said["url"]), said, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}
