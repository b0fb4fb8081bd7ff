import type { Command } from "commander";
import { addAgentCommands } from "./agent-commands.ts";
import { addCallCommand } from "./call.ts";
import { addConnectCommand } from "./connect/connect-command.ts";
import { addFileCommands } from "./file-commands.ts";
import { addQuestionCommands } from "./question-commands.ts";
import type { Shell } from "./shell.ts";
import { addTailCommand } from "./tail.ts";

/** What needs nothing but a hub's address and a token: the part of the command line that the hub hands out as one file. */
export function addClientCommands(program: Command, shell: Shell): void {
  program.commandsGroup("Client, by CREWROOM_URL and CREWROOM_TOKEN:");
  addConnectCommand(program, shell);
  addCallCommand(program, shell);
  addTailCommand(program, shell);
  addFileCommands(program, shell);
  addQuestionCommands(program, shell);
  addAgentCommands(program, shell);
}
