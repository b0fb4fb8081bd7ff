import type { Command } from "commander";
import { runBridge } from "../agent/bridge/run-bridge.ts";
import { printWhole } from "../agent/hook/print-whole.ts";
import { runHook } from "../agent/hook/run-hook.ts";
import { withCredentials } from "../agent/credentials.ts";
import { readArguments } from "../agent/watch/run-once.ts";
import { runWatch } from "../agent/watch/run-watch.ts";
import { readAgentScripts } from "../agent-scripts.ts";
import { agentEnvironment } from "../config.ts";
import { VERSION } from "../version.ts";
import { EXIT } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import type { Shell } from "./shell.ts";

/** `hook`, `watch` and `bridge`: what runs beside a coding agent's session. The files that the hub serves start faster. */
export function addAgentCommands(program: Command, { output }: Shell): void {
  addHookCommand(program, output);
  addWatchCommand(program, output);
  addBridgeCommand(program, output);
}

function addHookCommand(program: Command, output: Output): void {
  program
    .command("hook")
    .description(
      "at an event of a coding agent, told on standard input: print what is new; ends with 0 whatever happens",
    )
    .argument("[options...]", "--selfcheck says what this copy is and how it is set")
    .passThroughOptions()
    .allowUnknownOption()
    .action((args: readonly string[]) =>
      runHook({
        args,
        environment: agentEnvironment(),
        input: process.stdin,
        print: (text) => printWhole(process.stdout, text),
        note: (line) => output.note(line),
        version: VERSION,
        digest: () => digestOf("hook"),
      }),
    );
}

function addWatchCommand(program: Command, output: Output): void {
  program
    .command("watch")
    .description(
      "hold the hub's stream beside a session: print a line when something is new; the file at /v1/watch is the same",
    )
    .argument("[options...]", "--mode, --set-mode, --set-mentions, --selfcheck")
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (args: readonly string[]) => {
      const exit = await runWatch({
        args: readArguments(args),
        environment: withCredentials(args, agentEnvironment()),
        print: (line) => output.say(line),
        note: (line) => output.note(line),
        version: VERSION,
        digest: () => digestOf("watch"),
      });
      process.exit(exit); // the stream that it follows would keep the process
    });
}

function addBridgeCommand(program: Command, output: Output): void {
  program
    .command("bridge")
    .description(
      "an MCP server on standard input and output, for clients that start one; the file at /v1/bridge is the same",
    )
    .argument("[options...]", "--client codex, --credentials <file>")
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (args: readonly string[]) => {
      await runBridge({
        args,
        environment: agentEnvironment(),
        input: process.stdin,
        send: (message) => output.value(message),
        note: (line) => output.note(line),
      });
      process.exit(EXIT.ok); // the stream that it follows would keep the process
    });
}

function digestOf(script: string): string {
  return readAgentScripts().find(({ name }) => name === script)?.sha256 ?? "of no built file";
}
