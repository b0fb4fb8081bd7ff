import { ADAPTERS } from "../adapters/adapters.ts";
import type { HookSettings } from "./settings.ts";

/** What this copy is and how it is set. Asks nobody. */
export function writeSelfCheck(
  { url, token, room, minInterval, client }: HookSettings,
  { version, digest }: { readonly version: string; readonly digest: () => string },
): string {
  const lines = [
    `crewroom hook ${version}`,
    `sha256 ${digest()}`,
    `client ${client}, events ${Object.keys(ADAPTERS[client].occasions).join(" ")}`,
    `checks at every prompt, and at most every ${minInterval / 1_000} s while the agent works`,
    `hub ${url}, ${room === undefined ? "the token's own room" : `room ${room}`}, token ${token === undefined ? "missing" : "set"}`,
  ];
  return `${lines.join("\n")}\n`;
}
