import type { SetupSet, SetupSubject, SetupText } from "../../features/tokens/setup-text.ts";
import { briefFor, roleOf, watchArmFor } from "./brief.ts";
import { claudeHooks, claudeServer, SERVER_NAME } from "./claude-code.ts";
import { pasteForPowerShell } from "./paste-powershell.ts";
import { pasteForShell } from "./paste-shell.ts";
import { quoteForShell } from "./quote.ts";

/** Where a hub is reached, without slashes at the end. */
export interface HubAddresses {
  /** On its own machine or network. */
  readonly lan: string;
  /** From anywhere; never guessed. */
  readonly public: string | null;
}

const PUBLIC_HINT =
  "For machines elsewhere, start the hub with CREWROOM_PUBLIC_URL, or give public_url: this text is then written for that address, too.";

/**
 * The text that connects an agent's machine, for each address of the hub. In none of it does the token become an argument of
 * a program, which everybody on a machine can see: it goes through a shell's own `printf`, a pipe, a file or the environment.
 */
export function writeSetup(addresses: HubAddresses, subject: SetupSubject): SetupText {
  const lan = withoutSlash(subject.lanUrl ?? addresses.lan);
  const given = subject.publicUrl ?? addresses.public;
  const beyond = given === null ? null : withoutSlash(given);
  return {
    prefer: subject.publicUrl !== undefined && subject.lanUrl === undefined ? "public" : "lan",
    lan: writeSet(lan, subject),
    public: beyond === null ? null : writeSet(beyond, subject),
    public_hint: beyond === null ? PUBLIC_HINT : null,
  };
}

function writeSet(url: string, subject: SetupSubject): SetupSet {
  const { token } = subject;
  const server = claudeServer(url, token);
  const hook = { command: 'node "$HOME/.claude/hooks/crewroom-hook.mjs"' };
  const env = { CREWROOM_URL: url, CREWROOM_TOKEN: token, CREWROOM_ROOM: subject.rooms[0] };
  const pasted = { url, token, room: subject.rooms[0] ?? "", server };
  return {
    server_name: SERVER_NAME,
    url,
    role: roleOf(subject),
    ...pasteForShell(pasted),
    mcp_json: JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }, null, 2),
    claude_settings: JSON.stringify({ env, hooks: claudeHooks(hook) }, null, 2),
    watch_arm: watchArmFor(subject),
    agent_brief: briefFor(url, subject),
    admin_cli_equivalent: adminCommand(subject),
    powershell: pasteForPowerShell(pasted),
  };
}

/** The command on the hub's machine that makes such a token. */
function adminCommand({ agent, rooms, owner, organization, readonly, admin, allRooms }: SetupSubject): string {
  const [first = "", ...others] = rooms;
  const words = [
    "crewroom",
    "token",
    "add",
    "--agent",
    agent,
    "--room",
    first,
    ...others.flatMap((room) => ["--also-room", room]),
    ...(owner === null ? [] : ["--owner", owner]),
    ...(organization === "main" ? [] : ["--org", organization]),
    ...(readonly ? ["--readonly"] : []),
    ...(admin ? ["--admin"] : []),
    ...(allRooms ? ["--all-rooms"] : []),
  ];
  return words.map(quoteForShell).join(" ");
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
