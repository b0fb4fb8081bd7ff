#!/usr/bin/env node
import { runBridge } from "./bridge/run-bridge.ts";

// Whoever reads our answers may be gone before our parent is.
process.stdout.on("error", () => process.exit(0));

await runBridge({
  args: process.argv.slice(2),
  environment: process.env,
  input: process.stdin,
  send: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
});
process.exit(0);
