import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentScript } from "./edge/scripts.ts";
import { VERSION } from "./version.ts";

/** What runs beside a coding agent: its name at the hub, and the bundle it is. */
const SCRIPTS = { hook: "crewroom-hook.mjs", watch: "crewroom-watch.mjs", bridge: "crewroom-bridge.mjs" } as const;

/** Where bundles are, seen from the sources and from the bundle of the hub itself. */
const FOLDER = join(import.meta.dirname, "../dist");

/** The programs that this hub hands out, as they were built together with it. What was not built is left out. */
export function readAgentScripts(): AgentScript[] {
  return Object.entries(SCRIPTS).flatMap(([name, filename]) => {
    const path = join(FOLDER, filename);
    if (!existsSync(path)) return [];
    const text = readFileSync(path, "utf8");
    return [{ name, filename, version: VERSION, text, sha256: createHash("sha256").update(text).digest("hex") }];
  });
}
