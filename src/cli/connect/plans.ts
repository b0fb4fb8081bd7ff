import { type ClientName, CLIENT_NAMES } from "../../agent/adapters/adapters.ts";
import type { Credentials } from "../../agent/credentials.ts";
import { claudeHooks, claudePermission, SERVER_NAME } from "../../agent/provision/claude-code.ts";
import { quoteForShell } from "../../agent/provision/quote.ts";
import type { Edit } from "./edits.ts";
import { openCodePlugin } from "./opencode-plugin.ts";
import type { Places } from "./places.ts";

/** What a plan is made from. */
export interface Wanted extends Credentials {
  readonly places: Places;
  /** Tools that may be called without asking, where a client has such a list. */
  readonly allowed: readonly string[];
}

/** What each client is told, and where. @source the clients' own pages; see the adapters. */
export function planFor(client: ClientName, wanted: Wanted): readonly Edit[] {
  return PLANS[client](wanted);
}

/** What a user has to do once, by hand, and what the client cannot do. */
export const REMARKS: Record<ClientName, string> = {
  claude: "Restart Claude Code. An idle session is woken when something is for it.",
  codex: "Restart Codex and trust the hook once with /hooks. `codex queue` wakes an idle thread.",
  gemini: "Restart Gemini CLI. It cannot be woken: news come with the next prompt, tool or end of a turn.",
  cursor: "Open a new chat in Cursor. It cannot be woken: news come with the next prompt, tool or end of a turn.",
  opencode: "Restart OpenCode. Its plugin wakes the session that was used last.",
};

export const KNOWN_CLIENTS = CLIENT_NAMES;

const PLANS: Record<ClientName, (wanted: Wanted) => readonly Edit[]> = {
  claude: planClaude,
  codex: planCodex,
  gemini: planGemini,
  cursor: planCursor,
  opencode: planOpenCode,
};

/** What a hook that was set up by hand holds, too: a second one would bring all news twice. */
const HOOK_NAME = "crewroom-hook";

function planClaude({ places, allowed }: Wanted): Edit[] {
  const { settings, state } = places.claude;
  const add = (path: readonly string[], value: unknown, like?: string): Edit => ({
    kind: "add",
    file: settings,
    path,
    value,
    ...(like !== undefined && { like }),
  });
  // Where the secret is, and not the secret: people show these files around, and a project's go into version control.
  const withCredentials = (program: string) => ({ command: "node", args: [program, ...credentialsOf(places)] });
  const server = { type: "stdio", ...withCredentials(places.bridge), alwaysLoad: true };
  const scope = places.project === undefined ? [] : ["projects", places.project];
  return [
    ...Object.entries(claudeHooks(withCredentials(places.hook))).flatMap(([event, entries]) =>
      entries.map((entry) => add(["hooks", event], entry, HOOK_NAME)),
    ),
    ...allowed.map((tool) => add(["permissions", "allow"], claudePermission(tool))),
    { kind: "set", file: state, path: [...scope, "mcpServers", SERVER_NAME], value: server },
  ];
}

function credentialsOf({ credentials }: Places): string[] {
  return ["--credentials", credentials];
}

function planCodex({ places }: Wanted): Edit[] {
  const command = hookLine(places, "codex");
  const entry = (timeout: number) => ({ hooks: [{ type: "command", command, timeout }] });
  const timeouts = { SessionStart: 15, UserPromptSubmit: 15, PostToolUse: 15, Stop: 15, SessionEnd: 3 };
  const args = [places.bridge, "--client", "codex", ...credentialsOf(places)];
  return [
    ...Object.entries(timeouts).map(([event, timeout]): Edit => ({
      kind: "add",
      file: `${places.codex}/hooks.json`,
      path: ["hooks", event],
      value: entry(timeout),
      like: HOOK_NAME,
    })),
    {
      kind: "block",
      file: `${places.codex}/config.toml`,
      // JSON's strings are TOML's basic strings.
      text: [`[mcp_servers.${SERVER_NAME}]`, 'command = "node"', `args = ${JSON.stringify(args)}`].join("\n"),
      like: `[mcp_servers.${SERVER_NAME}]`,
    },
  ];
}

function planGemini({ places, url, token }: Wanted): Edit[] {
  const file = `${places.gemini}/settings.json`;
  const command = hookLine(places, "gemini");
  // In ms, unlike everybody else's.
  const timeouts = {
    SessionStart: 15_000,
    BeforeAgent: 15_000,
    AfterTool: 15_000,
    AfterAgent: 15_000,
    SessionEnd: 3_000,
  };
  const server = { httpUrl: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  return [
    { kind: "set", file, path: ["mcpServers", SERVER_NAME], value: server, secret: true },
    ...Object.entries(timeouts).map(([event, timeout]): Edit => ({
      kind: "add",
      file,
      path: ["hooks", event],
      value: { hooks: [{ type: "command", name: SERVER_NAME, command, timeout }] },
      like: HOOK_NAME,
    })),
  ];
}

function planCursor({ places, url, token }: Wanted): Edit[] {
  const [hooks, servers] = [`${places.cursor}/hooks.json`, `${places.cursor}/mcp.json`];
  const command = hookLine(places, "cursor");
  const server = { url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const events = ["sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "sessionEnd"];
  return [
    { kind: "set", file: hooks, path: ["version"], value: 1 },
    ...events.map((event): Edit => ({
      kind: "add",
      file: hooks,
      path: ["hooks", event],
      value: { command, timeout: 15 },
      like: HOOK_NAME,
    })),
    { kind: "set", file: servers, path: ["mcpServers", SERVER_NAME], value: server, secret: true },
  ];
}

function planOpenCode({ places, url, token }: Wanted): Edit[] {
  const server = { type: "remote", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` }, enabled: true };
  return [
    { kind: "set", file: `${places.opencode}/opencode.json`, path: ["mcp", SERVER_NAME], value: server, secret: true },
    { kind: "file", file: `${places.opencode}/plugins/crewroom.js`, text: openCodePlugin(places) },
  ];
}

/** A line for the shell that the client runs its hooks in. It never changes: Codex asks again for each that does. */
function hookLine(places: Places, client: ClientName): string {
  const quote = (path: string) => (process.platform === "win32" ? `"${path}"` : quoteForShell(path));
  return `node ${quote(places.hook)} --client ${client} --credentials ${quote(places.credentials)}`;
}
