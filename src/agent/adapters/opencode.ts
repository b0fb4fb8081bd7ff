import { type Adapter, isNamed } from "./adapter.ts";

/**
 * OpenCode runs no programs at its events but a plugin; ours (`crewroom connect --client opencode` writes it) runs the hook
 * and reads `text` from it. The events have the plugin's names.
 *
 * @source opencode.ai/docs/plugins; @opencode-ai/plugin 1.18.
 */
export const opencode: Adapter = {
  occasions: {
    "session.created": "start",
    "chat.message": "prompt",
    "tool.execute.after": "step",
    "session.idle": "stop",
    "session.deleted": "end",
  },
  wokenBy: ["our plugin"],
  session: "session_id",
  isSubagents: ({ parent_id }) => isNamed(parent_id),
  goesOn: ({ stop_hook_active }) => stop_hook_active === true,
  write: (_event, _occasion, text) => ({ text }),
};
