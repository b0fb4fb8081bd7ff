import { Command, CommanderError } from "commander";
import { VERSION } from "../version.ts";
import { EXIT, failureOf } from "./exit-codes.ts";
import { openOutput, type Terminal } from "./output.ts";
import type { Shell } from "./shell.ts";

/** A program of commands: what it is in one sentence, and its commands. */
export interface Commands {
  readonly description: string;
  readonly add: (program: Command, shell: Shell) => void;
}

/**
 * Runs one command.
 *
 * @param args     what stands after `crewroom`.
 * @param command  how to call this program, for texts that are pasted.
 * @returns the exit code; see `EXIT`.
 */
export async function runCommands(
  commands: Commands,
  args: readonly string[],
  command: string,
  terminal: Terminal,
): Promise<number> {
  const shell: Shell = { output: openOutput(terminal), command, exit: EXIT.ok };
  try {
    await makeProgram(commands, shell, terminal).parseAsync([...args], { from: "user" });
    return shell.exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const failure = failureOf(error, command);
    shell.output.fail(failure, args.includes("--json"));
    return failure.exit;
  }
}

function makeProgram({ description, add }: Commands, shell: Shell, { out, err }: Terminal): Command {
  const program = new Command("crewroom")
    .description(description)
    .version(VERSION, "-V, --version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError("Add --help to see what there is.")
    .configureHelp({ showGlobalOptions: false });
  add(program, shell);
  program.addHelpText("after", EXIT_HELP);
  return program;
}

const EXIT_HELP = `
Exit codes: 0 done, 1 a fault of Crewroom, 2 wrong use, 3 not signed in, 4 not allowed or not found,
5 refused by a rule (somebody else holds it, a stale version, …), 6 a limit, 7 cannot be reached.`;
