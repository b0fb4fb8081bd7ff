import { type Adapter, hookSpecific, isNamed } from "./adapter.ts";

/**
 * A field that Codex does not know makes it throw the whole answer away, so each event has exactly its own.
 *
 * @source Codex, the schemas of its hooks' input and output in version 0.171.0; tried with it.
 */
export const codex: Adapter = {
  occasions: {
    SessionStart: "start",
    UserPromptSubmit: "prompt",
    PostToolUse: "step",
    Stop: "stop",
    SessionEnd: "end",
  },
  wokenBy: ["codex queue"],
  session: "session_id",
  isSubagents: ({ agent_id }) => isNamed(agent_id),
  goesOn: ({ stop_hook_active }) => stop_hook_active === true,
  write: (event, occasion, text) =>
    occasion === "stop" ? { decision: "block", reason: text } : hookSpecific(event, text),
};
