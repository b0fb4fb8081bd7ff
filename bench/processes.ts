// Starts the processes of a measurement and asks them.
import { type ChildProcess, fork } from "node:child_process";
import type { Measured, Round } from "./load.ts";
import type { Ready } from "./server.ts";

export interface Child {
  readonly ready: Ready;
  ask<Answer>(question: unknown): Promise<Answer>;
  stop(): void;
}

export async function startServer(
  kind: "hub" | "echo" | "poll" | "files",
  size: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const child = fork(new URL("server.ts", import.meta.url), [kind, String(size)], {
    env: { ...process.env, ...env },
    execArgv: ["--expose-gc"],
  });
  const ready = await answerOf<Ready>(child);
  return { ready, ask: asker(child), stop: () => child.disconnect() };
}

/** Starts an echo for each size (bytes, up to the next 500) that it is asked for. */
export function openEchoes() {
  const started = new Map<number, Child>();
  return {
    async of(bytes: number): Promise<Child> {
      const rounded = Math.ceil(bytes / 500) * 500;
      const echo = started.get(rounded) ?? (await startServer("echo", rounded));
      started.set(rounded, echo);
      return echo;
    },
    stop() {
      for (const echo of started.values()) echo.stop();
    },
  };
}

export async function startLoad(): Promise<Child> {
  const child = fork(new URL("load.ts", import.meta.url));
  return { ready: { port: 0, tokens: {} }, ask: asker(child), stop: () => void child.kill() };
}

/** Hashes passwords between the questions `hash` and `rest`. */
export function startHasher(): Child {
  const child = fork(new URL("hasher.ts", import.meta.url));
  return { ready: { port: 0, tokens: {} }, ask: asker(child), stop: () => child.disconnect() };
}

/** One round of load on a server, with the processor time (µs) that the server used for it. */
export async function loadOn(
  load: Child,
  server: Child,
  round: Omit<Round, "port">,
): Promise<Measured & { cpu: number }> {
  const before = await server.ask<number>("cpu");
  const measured = await load.ask<Measured>({ port: server.ready.port, ...round });
  return { ...measured, cpu: (await server.ask<number>("cpu")) - before };
}

function asker(child: ChildProcess) {
  return <Answer>(question: unknown): Promise<Answer> => {
    const answer = answerOf<Answer>(child);
    child.send(question as object);
    return answer;
  };
}

function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null) => reject(new Error(`A process of the measurement ended with ${code}.`));
    child.once("exit", died);
    child.once("message", (message) => {
      child.off("exit", died);
      resolve(message as Answer); // each question has one kind of answer
    });
  });
}
