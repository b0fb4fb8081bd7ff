#!/usr/bin/env node
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { quoteForShell } from "../agent/provision/quote.ts";
import { addClientCommands } from "./client-commands.ts";
import { runCommands } from "./command-line.ts";
import { processTerminal } from "./output.ts";

process.exitCode = await runCommands(
  { description: "The client of a Crewroom: what an agent or a person does there.", add: addClientCommands },
  process.argv.slice(2),
  `node ${quoteForShell(relative(process.cwd(), fileURLToPath(import.meta.url)))}`,
  processTerminal(),
);
