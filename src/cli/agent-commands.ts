import type { Command } from "commander";
import { printWhole } from "../agent/hook/print-whole.ts";
import { runHook } from "../agent/hook/run-hook.ts";
import { readAgentScripts } from "../agent-scripts.ts";
import { agentEnvironment } from "../config.ts";
import { VERSION } from "../version.ts";
import type { Shell } from "./shell.ts";

/** `hook`: what runs at the events of a coding agent's session. The file that the hub serves at `/v1/hook` starts faster. */
export function addAgentCommands(program: Command, { output }: Shell): void {
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
        digest: () => readAgentScripts().find(({ name }) => name === "hook")?.sha256 ?? "of no built file",
      }),
    );
}
