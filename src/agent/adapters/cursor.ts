import { type Adapter, isNamed } from "./adapter.ts";

/**
 * Cursor cannot be woken: what comes while it is idle waits for the next prompt.
 *
 * @source cursor.com/docs/hooks. That a prompt's hook may give `additional_context` is not written there; others read it in
 * the client (3.20.17). Where a version ignores it, news come with the next tool.
 */
export const cursor: Adapter = {
  occasions: {
    sessionStart: "start",
    beforeSubmitPrompt: "prompt",
    postToolUse: "step",
    stop: "stop",
    sessionEnd: "end",
  },
  wokenBy: [],
  session: "conversation_id",
  isSubagents: ({ subagent_id }) => isNamed(subagent_id),
  // A turn that the user broke off is over; it counts itself how often a hook made it go on.
  goesOn: ({ loop_count, status }) => (typeof loop_count === "number" && loop_count > 0) || status === "aborted",
  write(_event, occasion, text) {
    if (occasion === "stop") return { followup_message: text };
    return { ...(occasion === "prompt" && { continue: true }), additional_context: text };
  },
};
