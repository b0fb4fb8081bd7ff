import { type Adapter, hookSpecific, isNamed } from "./adapter.ts";

/** @source Claude Code, "Hooks reference"; tried with 2.1.332. */
export const claudeCode: Adapter = {
  occasions: {
    SessionStart: "start",
    UserPromptSubmit: "prompt",
    PostToolBatch: "step",
    PostToolUse: "step",
    Stop: "stop",
    SessionEnd: "end",
  },
  wokenBy: ["the plugin's monitor", "its session's inbox", "a watch of its own"],
  session: "session_id",
  isSubagents: ({ agent_id }) => isNamed(agent_id),
  goesOn: ({ stop_hook_active }) => stop_hook_active === true,
  write: (event, _occasion, text) => hookSpecific(event, text),
};
