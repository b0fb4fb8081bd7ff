import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Asked } from "../demo-hub.ts";

const PROGRAM = join(import.meta.dirname, "../demo-hub.ts");

// What an operation answers is its own business; the story prints what it finds.
// oxlint-disable-next-line no-explicit-any
export type Answer = Record<string, any>;

/** The demo's hub. It may die, and be started again at its address on its database. */
export interface DemoHub extends AsyncDisposable {
  readonly url: string;
  /** Where browsers open it: pages on this machine have one name. */
  readonly home: string;
  readonly pid: number;
  /** How a command of its own finds the same database. */
  readonly environment: Readonly<Record<string, string>>;
  ask(asked: Asked): Promise<Answer>;
  /** Resolves when its process has ended, and says by what. */
  readonly death: Promise<string>;
  revive(): Promise<void>;
}

/** @param folder  for its database. */
export async function openHub(folder: string): Promise<DemoHub> {
  const { PATH = "", HOME = "" } = process.env;
  const environment = {
    PATH,
    HOME,
    TMPDIR: folder,
    CREWROOM_DB: join(folder, "crewroom.db"),
    CREWROOM_LOG: "warn",
    CREWROOM_ANNOUNCE_UPGRADES: "off",
  };
  let run = await start(environment, 0);
  return {
    get url() {
      return `http://127.0.0.1:${run.port}`;
    },
    get home() {
      return `http://localhost:${run.port}`;
    },
    get pid() {
      return run.child.pid ?? 0;
    },
    get death() {
      return run.death;
    },
    environment,
    async ask(asked) {
      const answered = nextFrom(run);
      run.child.send(asked);
      const { value, error } = await answered;
      if (error !== undefined) throw new Error(String(error));
      return value as Answer; // the operation's own
    },
    async revive() {
      run = await start(environment, run.port);
    },
    async [Symbol.asyncDispose]() {
      run.child.kill("SIGTERM");
      await run.death;
    },
  };
}

/** One life of the hub. */
interface Run {
  readonly child: ChildProcess;
  readonly death: Promise<string>;
}

async function start(environment: DemoHub["environment"], port: number): Promise<Run & { readonly port: number }> {
  const child = fork(PROGRAM, { env: { ...environment, PORT: String(port) }, execArgv: [] });
  const death = once(child, "exit").then(([code, signal]) => String(signal ?? code));
  const { value } = await nextFrom({ child, death });
  return { child, death, port: Number(value) };
}

/** What it says next: it says one thing when it serves, and one to each question. */
async function nextFrom({ child, death }: Run): Promise<Answer> {
  const said = await Promise.race([once(child, "message"), death]);
  if (typeof said === "string") throw new Error(`The hub ended (${said}).`);
  return said[0] as Answer; // its own form
}
