#!/usr/bin/env node
import { runMonitor } from "./bridge/run-monitor.ts";

// Whoever reads our lines may be gone before our parent is.
process.stdout.on("error", () => process.exit(0));

await runMonitor({ environment: process.env, print: (line) => void process.stdout.write(`${line}\n`) });
process.exit(0);
