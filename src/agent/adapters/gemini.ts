import { type Adapter, hookSpecific } from "./adapter.ts";

/**
 * Gemini CLI cannot be woken: what comes while it is idle waits for the next prompt.
 *
 * @source Gemini CLI 0.61, docs/hooks/reference.md.
 */
export const gemini: Adapter = {
  occasions: {
    SessionStart: "start",
    BeforeAgent: "prompt",
    AfterTool: "step",
    AfterAgent: "stop",
    SessionEnd: "end",
  },
  wokenBy: [],
  session: "session_id",
  // It says nothing of subagents.
  isSubagents: () => false,
  goesOn: ({ stop_hook_active }) => stop_hook_active === true,
  // "deny" at the end of a turn is how it is told to go on, with the reason as the next prompt.
  write: (event, occasion, text) =>
    occasion === "stop" ? { decision: "deny", reason: text } : hookSpecific(event, text),
};
