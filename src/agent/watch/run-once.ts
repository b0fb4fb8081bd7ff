import { type Mode, MODES, readMode, readNames, type WatchSettings } from "./settings.ts";
import { openState } from "./state.ts";

/** What the watcher may be asked for on its command line. */
export interface WatchArguments {
  readonly mode?: Mode;
  readonly setMode?: string;
  readonly setMentions?: string;
  readonly selfcheck?: boolean;
  /** What is not understood. */
  readonly wrong?: string;
}

const FLAGS = { "--mode": "mode", "--set-mode": "setMode", "--set-mentions": "setMentions" } as const;

export function readArguments(args: readonly string[]): WatchArguments {
  const found: { mode?: Mode; setMode?: string; setMentions?: string; selfcheck?: boolean } = {};
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--selfcheck" || arg === "--version") found.selfcheck = true;
    // Read with the environment; see withCredentials.
    else if (arg === "--credentials") at += 1;
    else if (arg in FLAGS) {
      const value = args[++at];
      const flag = FLAGS[arg as keyof typeof FLAGS]; // just looked for
      if (value === undefined) return { wrong: `${arg} needs a value` };
      if (flag !== "setMentions" && !readMode(value)) return { wrong: `${arg} is one of ${MODES.join(", ")}` };
      Object.assign(found, { [flag]: value });
    } else return { wrong: `${arg} is not understood` };
  }
  return found;
}

/** What is done at once and ends the program; undefined when it is to watch. No hub is asked. */
export function runOnce(
  settings: WatchSettings,
  args: WatchArguments,
  about: { readonly version: string; readonly digest: () => string },
): { readonly says: string; readonly exit: number } | undefined {
  if (args.wrong !== undefined) return { says: `crewroom watch: ${args.wrong}.`, exit: 2 };
  if (args.selfcheck) return { says: writeSelfCheck(settings, args, about), exit: 0 };
  if (args.setMode !== undefined || args.setMentions !== undefined) {
    const files = openState(settings);
    const mode = args.setMode === undefined ? files.read().mode : readMode(args.setMode);
    const names = args.setMentions === undefined ? files.read().names : readNames(args.setMentions);
    files.write({ ...(mode && { mode }), ...(names && { names }) });
    return {
      says: `mode ${liveMode(settings, args)}, more names: ${(names ?? settings.names).join(", ") || "none"}`,
      exit: 0,
    };
  }
  if (settings.token === undefined) return { says: "crewroom watch: CREWROOM_TOKEN is not set.", exit: 2 };
  return undefined;
}

function liveMode(settings: WatchSettings, args: WatchArguments): string {
  const set = openState(settings).read().mode;
  if (set !== undefined) return `${set} (set for running watchers)`;
  return args.mode ?? settings.mode;
}

function writeSelfCheck(
  settings: WatchSettings,
  args: WatchArguments,
  { version, digest }: { readonly version: string; readonly digest: () => string },
): string {
  const { url, room, token, minInterval, names, alias } = settings;
  const set = openState(settings).read().names;
  return [
    `crewroom watch ${version}`,
    `sha256 ${digest()}`,
    `hub ${url}, ${room === undefined ? "the token's own room" : `room ${room}`}, token ${token === undefined ? "missing" : "set"}`,
    `mode ${liveMode(settings, args)}, a line at most every ${minInterval / 1_000} s`,
    `more names: ${(set ?? names).join(", ") || "none"}; digits of the name ${alias ? "stand" : "do not stand"} for the agent`,
  ].join("\n");
}
