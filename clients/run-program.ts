import { spawn } from "node:child_process";

/** How a program ended and what it said. `code` is null when it had to be ended. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Given to its standard input. */
  readonly input?: string;
  /** After so long (ms) it is ended. */
  readonly timeout?: number;
}

/**
 * Runs a program to its end.
 *
 * @throws the system's error when it cannot be started, as ENOENT when there is none of that name.
 */
export function runProgram(command: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { env = process.env, cwd, input = "", timeout = 60_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, timeout, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
    child.stdin.on("error", () => {}); // it may end without reading
    child.stdin.end(input);
  });
}

/** The same for a program that must succeed. @throws Error with what it said when it does not end with 0. */
export async function runOrThrow(command: string, args: readonly string[], options?: RunOptions): Promise<Outcome> {
  const outcome = await runProgram(command, args, options);
  if (outcome.code !== 0) {
    throw new Error(`${[command, ...args].join(" ")} ended with ${outcome.code}:\n${outcome.err}${outcome.out}`);
  }
  return outcome;
}

/** Whether there is a program of this name here that answers to these arguments. */
export async function isThere(command: string, args: readonly string[] = ["--version"]): Promise<boolean> {
  const outcome = await runProgram(command, args).catch(() => undefined);
  return outcome?.code === 0;
}
