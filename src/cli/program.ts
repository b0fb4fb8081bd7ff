import { Command, CommanderError } from "commander";
import { VERSION } from "../version.ts";
import { addAgentCommands } from "./agent-commands.ts";
import { addBackupCommands } from "./backup-commands.ts";
import { addCallCommand } from "./call.ts";
import { addDatabaseCommands } from "./database-commands.ts";
import { addDoctorCommand } from "./doctor.ts";
import { EXIT, failureOf } from "./exit-codes.ts";
import { addOrganizationCommands } from "./organization-commands.ts";
import { openOutput, type Terminal } from "./output.ts";
import { addPersonCommands } from "./person-commands.ts";
import type { Shell } from "./shell.ts";
import { addRoomCommands } from "./room-commands.ts";
import { addQuestionCommands } from "./question-commands.ts";
import { addServeCommand } from "./serve.ts";
import { addTailCommand } from "./tail.ts";
import { addTokenCommands } from "./token-commands.ts";
import { addVerifyCommands } from "./verify-commands.ts";

/**
 * Runs one command.
 *
 * @param args     what stands after `crewroom`.
 * @param command  how to call this program, for texts that are pasted.
 * @returns the exit code; see `EXIT`.
 */
export async function runCommandLine(args: readonly string[], command: string, terminal: Terminal): Promise<number> {
  const shell: Shell = { output: openOutput(terminal), command, exit: EXIT.ok };
  try {
    await makeProgram(shell, terminal).parseAsync([...args], { from: "user" });
    return shell.exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const failure = failureOf(error, command);
    shell.output.fail(failure, args.includes("--json"));
    return failure.exit;
  }
}

function makeProgram(shell: Shell, { out, err }: Terminal): Command {
  const program = new Command("crewroom")
    .description("One room for people and their coding agents: a server, its administration, and a client.")
    .version(VERSION, "-V, --version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError("Add --help to see what there is.")
    .configureHelp({ showGlobalOptions: false });

  program.commandsGroup("Server:");
  addServeCommand(program, shell);
  addDatabaseCommands(program, shell);
  addDoctorCommand(program, shell);
  addBackupCommands(program, shell);
  program.commandsGroup("Administration, on the server's database:");
  addRoomCommands(program, shell);
  addTokenCommands(program, shell);
  addPersonCommands(program, shell);
  addOrganizationCommands(program, shell);
  addVerifyCommands(program, shell);
  program.commandsGroup("Client, by CREWROOM_URL and CREWROOM_TOKEN:");
  addCallCommand(program, shell);
  addTailCommand(program, shell);
  addQuestionCommands(program, shell);
  addAgentCommands(program, shell);
  program.addHelpText("after", EXIT_HELP);
  return program;
}

const EXIT_HELP = `
Exit codes: 0 done, 1 a fault of Crewroom, 2 wrong use, 3 not signed in, 4 not allowed or not found,
5 refused by a rule (somebody else holds it, a stale version, …), 6 a limit, 7 cannot be reached.`;
