import { addBackupCommands } from "./backup-commands.ts";
import { addClientCommands } from "./client-commands.ts";
import { type Commands, runCommands } from "./command-line.ts";
import { addDatabaseCommands } from "./database-commands.ts";
import { addDoctorCommand } from "./doctor/doctor.ts";
import { addExportCommand } from "./export/export-commands.ts";
import { addImportCommand } from "./import-commands.ts";
import { addOrganizationCommands } from "./organization-commands.ts";
import type { Terminal } from "./output.ts";
import { addPersonCommands } from "./person-commands.ts";
import { addRoomCommands } from "./room-commands.ts";
import { addServeCommand } from "./serve.ts";
import { addTokenCommands } from "./token-commands.ts";
import { addVerifyCommands } from "./verify-commands.ts";

/** Runs one command of the whole program; see `runCommands`. */
export function runCommandLine(args: readonly string[], command: string, terminal: Terminal): Promise<number> {
  return runCommands(EVERYTHING, args, command, terminal);
}

const EVERYTHING: Commands = {
  description: "One room for people and their coding agents: a server, its administration, and a client.",
  add(program, shell) {
    program.commandsGroup("Server:");
    addServeCommand(program, shell);
    addDatabaseCommands(program, shell);
    addDoctorCommand(program, shell);
    addBackupCommands(program, shell);
    addExportCommand(program, shell);
    addImportCommand(program, shell);
    program.commandsGroup("Administration, on the server's database:");
    addRoomCommands(program, shell);
    addTokenCommands(program, shell);
    addPersonCommands(program, shell);
    addOrganizationCommands(program, shell);
    addVerifyCommands(program, shell);
    addClientCommands(program, shell);
  },
};
