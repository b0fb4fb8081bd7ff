import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Value } from "./actor.ts";
import { type HookMachine, hookMachineIn } from "./hook.ts";

const BRIDGE = fileURLToPath(new URL("../agent/bridge-main.ts", import.meta.url));
const MONITOR = fileURLToPath(new URL("../agent/monitor-main.ts", import.meta.url));

/** What a client of the first revisions says, and one of the newest adds to each request. */
export const HANDSHAKE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "crewroom-test", version: "1.0.0" },
};
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": HANDSHAKE.clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A bridge as a client's child. */
export interface Bridge extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Sends a request and gives its answer: `result` or `error`. */
  ask(method: string, params?: object): Promise<Value>;
  /** Calls a tool as a client of 2026-07-28 does; gives its text. */
  tool(name: string, input?: object): Promise<string>;
  /** Sends a line as it stands. */
  write(line: string | Buffer): void;
  /** The next message that answers nothing. */
  notification(): Promise<Value>;
  /** Resolves once it has said this on standard error. */
  says(words: string): Promise<void>;
  /** Ends its input and gives the exit code. */
  end(): Promise<number | null>;
  /** Tells it to end, and waits until it has. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** A parent that starts a bridge with an input that stays open, and says its process id once it follows. */
const PARENT = `const child = require("node:child_process").spawn(process.execPath, [process.argv[1]], { stdio: [0, "ignore", "pipe"] });
child.stderr.once("data", () => console.log(child.pid));`;

/** A monitor as a client's child. */
export interface Monitor extends AsyncDisposable {
  readonly child: ChildProcess;
  next(): Promise<string>;
  /** Tells it to end, and waits until it has. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** A client's process with a bridge, a monitor and hooks of its own, which find each other by its inbox. */
export interface Session extends AsyncDisposable {
  readonly folder: string;
  readonly hook: HookMachine;
  /** What was put into the session's inbox: the texts, in order. */
  readonly inbox: readonly string[];
  bridge(environment?: Readonly<Record<string, string>>): Bridge;
  /** The same once it follows the stream. */
  following(environment?: Readonly<Record<string, string>>): Promise<Bridge>;
  monitor(): Monitor;
  /** Gives the process id of a bridge whose parent was killed after it had begun to follow; its input is still open. */
  orphan(): Promise<number>;
}

interface Place {
  readonly url: string;
  token(handle: string): string;
}

/** @param folder  for temporary files; two sessions of one machine share it. */
export async function openSession(
  { url, token }: Place,
  handle: string,
  folder = mkdtempSync(join(tmpdir(), "crewroom-session-")),
): Promise<Session> {
  const inbox: string[] = [];
  const address = join(mkdtempSync(join(tmpdir(), "crewroom-inbox-")), "inbox.sock");
  const server = createServer((socket) => {
    createInterface({ input: socket }).on("line", (line) => {
      const { type, message } = JSON.parse(line) as { type: string; message?: { content: string } }; // the client's own form
      if (type === "user" && message) inbox.push(message.content);
    });
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const own = {
    PATH: process.env["PATH"] ?? "",
    TMPDIR: folder,
    TEMP: folder,
    CREWROOM_URL: url,
    CREWROOM_TOKEN: token(handle),
    CREWROOM_WATCH_DEBUG: "1",
    CREWROOM_WATCH_MIN_INTERVAL: "0",
    CLAUDE_CODE_SESSION_ID: "s1",
    CLAUDE_CODE_MESSAGING_SOCKET: address,
  };
  const bridge = (environment: Readonly<Record<string, string>> = {}) =>
    bridgeOf(spawn(process.execPath, [BRIDGE], { env: { ...own, ...environment } }));
  return {
    folder,
    inbox,
    bridge,
    hook: hookMachineIn(folder, { ...own, CREWROOM_HOOK_MIN_INTERVAL: "600" }),
    async following(environment) {
      const one = bridge(environment);
      await one.says("follows ");
      return one;
    },
    monitor: () => monitorOf(spawn(process.execPath, [MONITOR], { env: own })),
    async orphan() {
      const parent = spawn(process.execPath, ["-e", PARENT, BRIDGE], { env: own });
      parent.stdout.setEncoding("utf8");
      const [said] = (await once(parent.stdout, "data")) as [string]; // the event's first argument
      parent.kill("SIGKILL");
      await once(parent, "exit");
      return Number(said);
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
      rmSync(join(address, ".."), { recursive: true, force: true });
    },
  };
}

function bridgeOf(child: ReturnType<typeof spawn>): Bridge {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error("The bridge has no pipes.");
  let said = "";
  let number = 0;
  const waiting = new Map<unknown, (answer: Value) => void>();
  const notifications: Value[] = [];
  stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  stdin.on("error", () => undefined); // it may have ended
  const lines = createInterface({ input: stdout });
  lines.on("line", (line) => {
    const message = JSON.parse(line) as Value; // a line that is none fails the test
    const answered = waiting.get(message["id"]);
    if (answered) answered(message);
    else notifications.push(message);
  });
  const write = (line: string | Buffer) => void stdin.write(line);

  function ask(method: string, params: object = {}): Promise<Value> {
    const id = ++number;
    write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  }
  return {
    child,
    ask,
    write,
    async tool(name, input = {}) {
      const { result, error } = await ask("tools/call", { name, arguments: input, _meta: ENVELOPE });
      return result?.content[0].text ?? JSON.stringify(error);
    },
    async notification() {
      while (notifications.length === 0) await once(lines, "line");
      return notifications.shift() ?? {};
    },
    async says(words) {
      while (!said.includes(words)) {
        if (child.exitCode !== null) throw new Error(`The bridge ended: ${said}`);
        await Promise.race([once(stderr, "data"), once(child, "exit")]);
      }
    },
    async end() {
      const ended = once(child, "exit");
      stdin.end();
      const [code] = (await ended) as [number | null]; // the event's first argument
      return code;
    },
    stop: (signal) => kill(child, signal),
    [Symbol.asyncDispose]: () => kill(child),
  };
}

function monitorOf(child: ReturnType<typeof spawn>): Monitor {
  if (!child.stdout) throw new Error("The monitor has no output.");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error("The monitor ended.");
      return value;
    },
    stop: (signal) => kill(child, signal),
    [Symbol.asyncDispose]: () => kill(child),
  };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}
