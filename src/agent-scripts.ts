import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeClients } from "./agent/adapters/adapters.ts";
import type { AgentScript } from "./edge/scripts.ts";
import { VERSION } from "./version.ts";

const PROGRAM = "text/javascript; charset=utf-8";

/** What is handed out: its name at the hub, the file that was built, and what that is. */
const SCRIPTS = {
  hook: { filename: "crewroom-hook.mjs", type: PROGRAM },
  watch: { filename: "crewroom-watch.mjs", type: PROGRAM },
  bridge: { filename: "crewroom-bridge.mjs", type: PROGRAM },
  cli: { filename: "crewroom-cli.mjs", type: PROGRAM },
  plugin: { filename: "crewroom-plugin.tar.gz", type: "application/gzip" },
} as const;

/** Where bundles are, seen from the sources and from the bundle of the hub itself. */
const FOLDER = join(import.meta.dirname, "../dist");

/** The programs that this hub hands out, as they were built together with it. What was not built is left out. */
export function readAgentScripts(): AgentScript[] {
  return Object.entries(SCRIPTS).flatMap(([name, { filename, type }]) => {
    const path = join(FOLDER, filename);
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    return [
      {
        name,
        filename,
        version: VERSION,
        type,
        bytes,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        ...(name === "hook" && { about: { clients: describeClients() } }),
      },
    ];
  });
}
