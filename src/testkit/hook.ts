import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ended } from "./command.ts";

const SOURCE = fileURLToPath(new URL("../agent/hook-main.ts", import.meta.url));

/** What Claude Code writes on a hook's standard input, by event. */
export const EVENTS = {
  SessionStart: { source: "startup", model: "claude-test" },
  UserPromptSubmit: { prompt: "Go on.", session_title: "Sensors" },
  PreToolUse: { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" },
  PostToolUse: {
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "toolu_1",
    tool_response: { stdout: "a\nb" },
    duration_ms: 12,
  },
  PostToolBatch: {
    tool_calls: [{ tool_name: "Read", tool_input: { file_path: "a" }, tool_use_id: "toolu_1", tool_response: "text" }],
  },
  Stop: { stop_hook_active: false, last_assistant_message: "Done.", background_tasks: [], session_crons: [] },
  SubagentStop: { agent_id: "a1", agent_type: "Explore", agent_transcript_path: "/t", stop_hook_active: false },
  Notification: { message: "Claude is waiting", notification_type: "idle_prompt" },
  SessionEnd: { reason: "prompt_input_exit" },
} as const;
export type EventName = keyof typeof EVENTS;

/** What a run of the hook left behind. */
export interface HookRun extends Ended {
  /** What the model gets to read; "" when nothing. */
  readonly text: string;
}

/** A machine on which an agent's client runs the hook: its environment and its folder for temporary files. */
export interface HookMachine extends Disposable {
  readonly folder: string;
  /** Runs the hook at an event of session `s1`, as the client does. */
  at(event: EventName, fields?: object): Promise<HookRun>;
  /** Runs it with these bytes on its standard input. */
  run(input: string | readonly Buffer[], args?: readonly string[]): Promise<HookRun>;
  /** The same with nobody left to read what it prints. */
  unheard(event: EventName): Promise<HookRun>;
  /** The same machine with other variables, or another program. */
  with(environment: Readonly<Record<string, string>>, program?: string): HookMachine;
  /** Keeps what the hook has noted, and puts it back: as if the runs since then had died before noting anything. */
  remember(): () => void;
  /** Leaves in each session's corner the lock of a run that was killed. */
  leaveLock(): void;
}

/** The line on standard input at an event. */
export function eventJson(event: EventName, fields: object = {}): string {
  const common = {
    session_id: "s1",
    transcript_path: "/home/agent/.claude/projects/p/s1.jsonl",
    cwd: "/home/agent/p",
    permission_mode: "default",
    hook_event_name: event,
  };
  return JSON.stringify({ ...common, ...EVENTS[event], ...fields });
}

export function hookMachine(
  { url, token }: { readonly url: string; token(handle: string): string },
  handle: string,
): HookMachine {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-hook-"));
  return machineWith(folder, { CREWROOM_URL: url, CREWROOM_TOKEN: token(handle) }, SOURCE);
}

/** The same beside other programs of a session, with their folder and their environment. */
export function hookMachineIn(folder: string, environment: Readonly<Record<string, string>>): HookMachine {
  return machineWith(folder, environment, SOURCE);
}

function machineWith(folder: string, own: Readonly<Record<string, string>>, program: string): HookMachine {
  async function run(input: string | readonly Buffer[], args: readonly string[] = [], isHeard = true) {
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        PATH: process.env["PATH"] ?? "",
        TMPDIR: folder,
        TEMP: folder,
        CREWROOM_HOOK_DEBUG: "1",
        ...own,
      },
    });
    const printed = { out: "", err: "" };
    if (isHeard) child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.out += text));
    else child.stdout.destroy();
    child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.err += text));
    child.stdin.on("error", () => undefined); // it may end without reading
    for (const part of typeof input === "string" ? [input] : input) {
      await new Promise((resolve) => child.stdin.write(part, resolve));
    }
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number | null]; // the event's first argument
    return { code, ...printed, text: textOf(printed.out) };
  }
  return {
    folder,
    run,
    at: (event, fields) => run(eventJson(event, fields)),
    unheard: (event) => run(eventJson(event), [], false),
    with: (environment, other = program) => machineWith(folder, { ...own, ...environment }, other),
    remember() {
      const copy = mkdtempSync(join(tmpdir(), "crewroom-hook-kept-"));
      cpSync(folder, copy, { recursive: true });
      return () => {
        rmSync(folder, { recursive: true });
        cpSync(copy, folder, { recursive: true });
        rmSync(copy, { recursive: true });
      };
    },
    leaveLock() {
      // No system gives out such a number.
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
        if (name.endsWith(".json")) writeFileSync(join(folder, name.replace(/json$/, "lock")), "99999999");
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What the client hands to the model, from JSON as it wants it or from plain text. */
function textOf(out: string): string {
  if (!out.startsWith("{")) return out;
  const { hookSpecificOutput, reason, additional_context, followup_message, text } = JSON.parse(out) as Printed;
  return hookSpecificOutput?.additionalContext ?? reason ?? additional_context ?? followup_message ?? text ?? "";
}

/** The forms of all clients: each has one of these. */
interface Printed {
  readonly hookSpecificOutput?: { readonly additionalContext: string };
  readonly reason?: string;
  readonly additional_context?: string;
  readonly followup_message?: string;
  readonly text?: string;
}
