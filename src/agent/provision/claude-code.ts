/** What the hub is called in every client's list of MCP servers. */
export const SERVER_NAME = "crewroom";

/** How a hook is run: a line for a shell, or a program with its arguments and no shell between. */
export interface HookCommand {
  readonly command: string;
  readonly args?: readonly string[];
}

/** The events that the hook is run at, with how long the client waits (s): it ends by itself long before, except at the end. */
const TIMEOUTS = { SessionStart: 15, UserPromptSubmit: 15, PostToolBatch: 15, Stop: 15, SessionEnd: 1 } as const;

/** What stands under `hooks` in Claude Code's settings. @source Claude Code, "Hooks reference". */
export function claudeHooks(run: HookCommand) {
  const entries = Object.entries(TIMEOUTS).map(([event, timeout]) => [
    event,
    [{ hooks: [{ type: "command", ...run, timeout }] }],
  ]);
  return Object.fromEntries(entries) as Record<string, readonly { readonly hooks: readonly object[] }[]>; // made above
}

/**
 * The hub as one of Claude Code's MCP servers. `${CREWROOM_TOKEN}` in place of the token is what its settings, or the
 * environment it is started in, set.
 */
export function claudeServer(url: string, token = "${CREWROOM_TOKEN}") {
  return { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } } as const;
}

/** The rule that lets Claude Code call one tool of the hub without asking. */
export function claudePermission(tool: string): string {
  return `mcp__${SERVER_NAME}__${tool}`;
}
