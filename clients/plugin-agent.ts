import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inHome } from "./claude-code.ts";
import { type ClaudeTerminal, furnish, openTerminal, until } from "./claude-terminal.ts";
import { type ModelStandIn, openModelStandIn, type Script } from "./model-stand-in.ts";
import { type Outcome, runOrThrow, runProgram } from "./run-program.ts";

/** A clone is a marketplace with the plugin in it. */
export const CLONE = join(import.meta.dirname, "..");

/** A home with the client in it. */
export interface Agent {
  /** One run of the client, to the end of its turn. */
  turn(prompt: string, how?: Turn): Promise<Heard & { readonly outcome: Outcome; readonly ms: number }>;
  /** The client at a terminal. */
  sit(args?: readonly string[], how?: Omit<Turn, "args">): Promise<Session>;
}

type Heard = Pick<ModelStandIn, "heard" | "results" | "offered">;

interface Turn {
  readonly args?: readonly string[];
  /** What its model does before it says that it is done, and what happens before each of its answers. */
  readonly script?: Script;
  readonly meanwhile?: (ask: number, heard: string) => Promise<unknown>;
}

export interface Session extends Heard, AsyncDisposable {
  readonly terminal: ClaudeTerminal;
  /** Waits until its bridge follows the hub's stream and its hook has run. */
  isFollowing(): Promise<void>;
  /** What the hook has last told the bridge that the session is called. */
  name(): string;
}

function installArgs(marketplace: string, url: string, token: string): readonly string[] {
  const config = ["--config", `url=${url}`, "--config", `token=${token}`];
  return ["plugin", "install", "crewroom", "--marketplace", marketplace, ...config];
}

/** A home with the plugin in it, installed by one command. */
export async function openWithPlugin(
  binary: string,
  home: string,
  { url, token, marketplace = CLONE }: { readonly url: string; readonly token: string; readonly marketplace?: string },
): Promise<Agent> {
  await runOrThrow(binary, installArgs(marketplace, url, token), inHome(home));
  return openInstalled(binary, home);
}

/** A home as it stands. */
export function openInstalled(binary: string, home: string): Agent {
  return {
    async turn(prompt, { args = [], script = [], meanwhile } = {}) {
      const model = await openModelStandIn("", script, meanwhile);
      const started = Date.now();
      try {
        const outcome = await runProgram(
          binary,
          [...args, "-p", prompt, "--allowedTools", "Bash,Agent,mcp__plugin_crewroom_hub"],
          furnish(home, model),
        );
        assert.equal(outcome.code, 0, outcome.err + outcome.out);
        return {
          heard: model.heard,
          results: model.results,
          offered: model.offered,
          outcome,
          ms: Date.now() - started,
        };
      } finally {
        model.close();
      }
    },
    sit: (args = [], how = {}) => sitDown(binary, home, args, how),
  };
}

async function sitDown(
  binary: string,
  home: string,
  args: readonly string[],
  { script = [], meanwhile }: Omit<Turn, "args">,
): Promise<Session> {
  const model = await openModelStandIn("", script, meanwhile);
  const place = furnish(home, model);
  const files = () => {
    const folder = readdirSync(join(home, "tmp")).find((name) => name.startsWith("crewroom-"));
    if (folder === undefined) return [];
    return readdirSync(join(home, "tmp", folder)).map((name) => join(home, "tmp", folder, name));
  };
  const before = new Set(files());
  let note: string | undefined;
  let signal: string | undefined;
  const terminal = await openTerminal(binary, args, place);
  return {
    heard: model.heard,
    results: model.results,
    offered: model.offered,
    terminal,
    async isFollowing() {
      const own = (ending: string) => files().find((path) => path.endsWith(ending) && !before.has(path));
      await until(
        () => (note ??= own(".note")) && (signal ??= own(".signal")),
        30_000,
        () => `Bridge and hook did not meet:\n${files().join("\n")}\n${terminal.screen().slice(-1_500)}`,
      );
      await pause(2_000); // the stream opens at once after that; the monitor some seconds after the client
    },
    name: () => (JSON.parse(readFileSync(note ?? "", "utf8")) as { session: string }).session, // the hook's own form
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      model.close();
    },
  };
}
