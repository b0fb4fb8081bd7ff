import { type ChildProcess, fork } from "node:child_process";

/** A process of ours that does what it is asked, and what it can be asked. */
export interface Worker {
  ask<Answer>(what: string, input?: unknown): Promise<Answer>;
  readonly process: ChildProcess;
  stop(): void;
}

interface Question {
  readonly number: number;
  readonly what: string;
  readonly input: unknown;
}
type Answered = { readonly number: number } & ({ readonly value: unknown } | { readonly error: string });

/** Starts `script` (one that calls `answerQuestions`) as a process of its own. It ends with the process that started it. */
export function startWorker(script: string, args: readonly string[] = []): Worker {
  const process = fork(script, [...args], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return { ...asking(process), process, stop: () => process.kill("SIGKILL") };
}

/** Asks a child that answers; when the child ends, what was asked and not answered fails. */
export function asking(child: ChildProcess): Pick<Worker, "ask"> {
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  let ended = false;
  child.on("message", (message: Answered) => {
    const waiting = open.get(message.number);
    open.delete(message.number);
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value);
  });
  child.once("exit", (code, signal) => {
    ended = true;
    for (const { reject } of open.values()) reject(new Error(`The process ended (${signal ?? code}).`));
  });
  return {
    ask<Answer>(what: string, input?: unknown) {
      if (ended) return Promise.reject(new Error("The process has ended."));
      const number = ++asked;
      return new Promise<Answer>((resolve, reject) => {
        // Each question's answer has the type that its asker names; both ends are in this folder.
        open.set(number, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ number, what, input } satisfies Question, (error) => error && reject(error));
      });
    },
  };
}

/** The other end: answers questions until the asking process is gone. */
export function answerQuestions(answers: Readonly<Record<string, (input: never) => unknown>>): void {
  process.on("message", (message: Question) => void answer(message));
  process.on("disconnect", () => process.exit(0));

  async function answer({ number, what, input }: Question) {
    try {
      const run = answers[what];
      if (!run) throw new Error(`Nothing answers "${what}".`);
      const value = await run(input as never); // as above
      process.send?.({ number, value } satisfies Answered);
    } catch (error) {
      process.send?.({ number, error: String(error instanceof Error ? error.stack : error) } satisfies Answered);
    }
  }
}
