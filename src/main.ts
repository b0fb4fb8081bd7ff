import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { processTerminal } from "./cli/output.ts";
import { runCommandLine } from "./cli/program.ts";
import { quoteForShell } from "./agent/provision/quote.ts";

// From a clone, the sources are there; from the package, only the bundle.
const isClone = existsSync(join(import.meta.dirname, "../src/main.ts"));
const program = relative(process.cwd(), join(import.meta.dirname, "../bin/crewroom.mjs"));

process.exitCode = await runCommandLine(
  process.argv.slice(2),
  isClone ? `node ${quoteForShell(program)}` : "npx crewroom",
  processTerminal(),
);
