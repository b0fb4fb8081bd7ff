#!/usr/bin/env node
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERSION } from "../version.ts";
import { runHook } from "./hook/run-hook.ts";
import { withPluginOptions } from "./plugin-options.ts";
import { printWhole } from "./hook/print-whole.ts";

// An agent's client runs this at its events. It must never be in the way: whatever happens, it ends with 0.
process.on("uncaughtException", () => process.exit(0));

await runHook({
  args: process.argv.slice(2),
  environment: withPluginOptions(process.env),
  input: process.stdin,
  print: (text) => printWhole(process.stdout, text),
  note: (line) => void process.stderr.write(`${line}\n`),
  version: VERSION,
  digest: () =>
    createHash("sha256")
      .update(readFileSync(fileURLToPath(import.meta.url)))
      .digest("hex"),
});
process.exit(0);
