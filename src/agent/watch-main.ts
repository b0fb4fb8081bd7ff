#!/usr/bin/env node
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERSION } from "../version.ts";
import { withCredentials } from "./credentials.ts";
import { readArguments } from "./watch/run-once.ts";
import { runWatch } from "./watch/run-watch.ts";

// Whoever reads our lines may be gone before our parent is.
process.stdout.on("error", () => process.exit(0));

process.exit(
  await runWatch({
    args: readArguments(process.argv.slice(2)),
    environment: withCredentials(process.argv.slice(2), process.env),
    print: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    version: VERSION,
    digest: () =>
      createHash("sha256")
        .update(readFileSync(fileURLToPath(import.meta.url)))
        .digest("hex"),
  }),
);
