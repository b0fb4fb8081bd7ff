import type { ClientName } from "../agent/adapters/adapters.ts";
import type { Occasion } from "../agent/adapters/adapter.ts";

/** What a client writes on its hook's standard input: an event that the hook does something at, by occasion. */
type Events = Readonly<Record<Exclude<Occasion, "quiet">, object>>;

interface ClientEvents extends Events {
  /** Events at which nothing may be done, and nothing may be taken from what is new. */
  readonly silent: readonly object[];
  /** The end of a turn that a hook made go on. */
  readonly circle: object;
}

const CODEX = {
  session_id: "01a23113-69cd-77f1-9d94-9b5ac32c523a",
  transcript_path: "/home/agent/.codex/sessions/2026/12/01/rollout-1.jsonl",
  cwd: "/home/agent/p",
  model: "gpt-test",
  permission_mode: "default",
};
const CODEX_TURN = { ...CODEX, turn_id: "01a23113-69f4-7ec0-bfb4-0a39aa6c64b4" };

const GEMINI = {
  session_id: "5b1c2f0e-7f1d-4a0e-9a39-6f7f0d8f1d11",
  transcript_path: "/home/agent/.gemini/tmp/p/chats/session-1.json",
  cwd: "/home/agent/p",
  timestamp: "2026-12-01T10:00:00.000Z",
};

const CURSOR = {
  conversation_id: "c0ffee00-0000-4000-8000-000000000001",
  generation_id: "c0ffee00-0000-4000-8000-000000000002",
  model: "test",
  cursor_version: "3.20.17",
  workspace_roots: ["/home/agent/p"],
  user_email: "agent@example.org",
  transcript_path: null,
};

const OPENCODE = { session_id: "ses_4a1b2c3d4e5f6g7h8i9j" };

/** As the clients write them: Codex as recorded from 0.171.0, Gemini CLI and Cursor as in their references, OpenCode as our plugin. */
export const CLIENT_EVENTS: Readonly<Record<Exclude<ClientName, "claude">, ClientEvents>> = {
  codex: {
    start: { ...CODEX, hook_event_name: "SessionStart", source: "startup" },
    prompt: { ...CODEX_TURN, hook_event_name: "UserPromptSubmit", prompt: "Go on" },
    step: {
      ...CODEX_TURN,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "true" },
      tool_response: "",
      tool_use_id: "c1",
    },
    stop: { ...CODEX_TURN, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." },
    circle: { ...CODEX_TURN, hook_event_name: "Stop", stop_hook_active: true, last_assistant_message: "Done." },
    end: { ...CODEX, hook_event_name: "SessionEnd", reason: "other" },
    silent: [
      { ...CODEX_TURN, hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {}, tool_use_id: "c1" },
      { ...CODEX_TURN, hook_event_name: "UserPromptSubmit", prompt: "Look", agent_id: "a1", agent_type: "explorer" },
      { ...CODEX_TURN, hook_event_name: "Interrupt" },
    ],
  },
  gemini: {
    start: { ...GEMINI, hook_event_name: "SessionStart", source: "startup" },
    prompt: { ...GEMINI, hook_event_name: "BeforeAgent", prompt: "Go on" },
    step: {
      ...GEMINI,
      hook_event_name: "AfterTool",
      tool_name: "run_shell_command",
      tool_input: { command: "true" },
      tool_response: { llmContent: "", returnDisplay: "" },
    },
    stop: {
      ...GEMINI,
      hook_event_name: "AfterAgent",
      prompt: "Go on",
      prompt_response: "Done.",
      stop_hook_active: false,
    },
    circle: {
      ...GEMINI,
      hook_event_name: "AfterAgent",
      prompt: "Go on",
      prompt_response: "Done.",
      stop_hook_active: true,
    },
    end: { ...GEMINI, hook_event_name: "SessionEnd", reason: "exit" },
    silent: [
      { ...GEMINI, hook_event_name: "BeforeModel", llm_request: {} },
      { ...GEMINI, hook_event_name: "PreCompress", trigger: "auto" },
    ],
  },
  cursor: {
    start: { ...CURSOR, hook_event_name: "sessionStart", is_background_agent: false },
    prompt: { ...CURSOR, hook_event_name: "beforeSubmitPrompt", prompt: "Go on", attachments: [] },
    step: {
      ...CURSOR,
      hook_event_name: "postToolUse",
      tool_name: "Shell",
      tool_input: { command: "true" },
      tool_output: "{}",
      tool_use_id: "t1",
      duration: 12,
    },
    stop: { ...CURSOR, hook_event_name: "stop", status: "completed", loop_count: 0 },
    circle: { ...CURSOR, hook_event_name: "stop", status: "completed", loop_count: 1 },
    end: { ...CURSOR, hook_event_name: "sessionEnd", reason: "completed", duration_ms: 100 },
    silent: [
      { ...CURSOR, hook_event_name: "stop", status: "aborted", loop_count: 0 },
      { ...CURSOR, hook_event_name: "preToolUse", tool_name: "Shell", tool_input: {} },
      { ...CURSOR, hook_event_name: "afterAgentResponse", text: "Done." },
    ],
  },
  opencode: {
    start: { ...OPENCODE, hook_event_name: "session.created" },
    prompt: { ...OPENCODE, hook_event_name: "chat.message" },
    step: { ...OPENCODE, hook_event_name: "tool.execute.after" },
    stop: { ...OPENCODE, hook_event_name: "session.idle", stop_hook_active: false },
    circle: { ...OPENCODE, hook_event_name: "session.idle", stop_hook_active: true },
    end: { ...OPENCODE, hook_event_name: "session.deleted" },
    silent: [
      { ...OPENCODE, hook_event_name: "chat.message", parent_id: "ses_parent" },
      { ...OPENCODE, hook_event_name: "session.updated" },
    ],
  },
};
