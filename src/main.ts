import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { runCommandLine } from "./cli/program.ts";
import { quoteForShell } from "./agent/provision/quote.ts";

// Whoever reads our output may stop reading (`| head`): that ends us, and is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

// From a clone, the sources are there; from the package, only the bundle.
const isClone = existsSync(join(import.meta.dirname, "../src/main.ts"));
const program = relative(process.cwd(), join(import.meta.dirname, "../bin/crewroom.mjs"));

process.exitCode = await runCommandLine(
  process.argv.slice(2),
  isClone ? `node ${quoteForShell(program)}` : "npx crewroom",
  {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTty: process.stdout.isTTY,
  },
);
