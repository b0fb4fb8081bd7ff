import type { Command } from "commander";
import type { z } from "zod";
import { findRoomNamed } from "../features/rooms/queries.ts";
import { createRoom } from "../features/rooms/create-room.ts";
import { createToken } from "../features/tokens/create-token.ts";
import { listTokens } from "../features/tokens/list-tokens.ts";
import { purgeTokens } from "../features/tokens/purge-tokens.ts";
import { revokeToken } from "../features/tokens/revoke-token.ts";
import type { SetupText } from "../features/tokens/setup-text.ts";
import type { tokenAnswer } from "../features/tokens/token-answer.ts";
import { UsageError } from "./exit-codes.ts";
import { asOperator, type Operator } from "./operator.ts";
import { table } from "./output.ts";
import { collect, type OrganizationOption, type Shell, wholeNumber, withOrganization } from "./shell.ts";

interface AddOptions extends OrganizationOption {
  readonly agent: string;
  readonly owner?: string;
  readonly room: string;
  readonly alsoRoom: readonly string[];
  readonly readonly?: true;
  readonly admin?: true;
  readonly allRooms?: true;
  readonly label?: string;
  readonly expires?: string;
}

/** `token add|list|revoke|purge`. */
export function addTokenCommands(program: Command, shell: Shell): void {
  const token = program.command("token").description("agents' tokens");
  withOrganization(token.command("add").description("mint a token, show it once, and say how to connect the agent"))
    .requiredOption("--agent <handle>", "whose it is; a new handle makes a new member")
    .option(
      "--owner <handle>",
      "the person whose agent it is: it may ask, read and draft for that person, never approve",
    )
    .requiredOption("--room <name>", "its default room; made if missing")
    .option("--also-room <name>", "another room it may enter; may be repeated; made if missing", collect, [])
    .option("--readonly", "it can never change anything")
    .option("--admin", "it may also delete, take over and set policies, in its rooms")
    .option("--all-rooms", "it may enter every room; with --admin it administers the organization")
    .option("--label <text>", "to tell it from others in the list")
    .option("--expires <when>", "90d, 12h, 30m or an ISO time; never unless given")
    .action((options: AddOptions) => addToken(shell, options));
  withOrganization(token.command("list").description("tokens, newest first"))
    .option("--agent <handle>", "only this agent's")
    .option("--live", "leave out what is revoked or expired")
    .action((options: OrganizationOption & { agent?: string; live?: true }) => showTokens(shell, options));
  withOrganization(token.command("revoke").description("end one token, or all of an agent, within two seconds"))
    .option("--id <id>", "the token's id, as in token list")
    .option("--agent <handle>", "all of this agent's")
    .action((options: OrganizationOption & { id?: string; agent?: string }) => endTokens(shell, options));
  withOrganization(token.command("purge").description("remove the records of revoked tokens"))
    .requiredOption("--older-than-days <days>", "revoked at least so long ago; 0 for all", wholeNumber)
    .option("--yes", "do it")
    .action((options: OrganizationOption & { olderThanDays: number; yes?: true }) => purge(shell, options));
}

async function addToken({ output }: Shell, { json, org, agent, owner, room, alsoRoom, ...rest }: AddOptions) {
  const { readonly = false, admin = false, allRooms: all_rooms = false, label = "", expires } = rest;
  const answer = await asOperator(org, async (operator) => {
    for (const name of new Set([room, ...alsoRoom])) await ensureRoom(operator, org, name);
    return operator.call(createToken, {
      agent,
      owner,
      room,
      also_rooms: [...alsoRoom],
      readonly,
      admin,
      all_rooms,
      label,
      expires,
    });
  });
  if (json) return output.value(answer);
  output.say(tokenText(answer));
}

async function ensureRoom(operator: Operator, organization: string, name: string) {
  const found = await operator.store.read((tx) => findRoomNamed(tx, organization, name));
  if (!found) await operator.call(createRoom, { name });
}

function tokenText(answer: z.output<typeof createToken.output>): string {
  const { agent, owner, existing_member, id, rooms, roles, all_rooms, expires_at, token, setup } = answer;
  const where = all_rooms ? `every room (default ${answer.room})` : rooms.join(", ");
  return [
    `${existing_member ? "Another token for" : "New member"} ${agent}${owner === null ? "" : `, an agent of ${owner}`}: ${roles.join(", ")} in ${where}; ${expires_at ? `until ${expires_at}` : "no expiry"}; id ${id}`,
    "",
    "The token, shown this once:",
    `  ${token}`,
    ...(setup ? setupLines(setup) : []),
  ].join("\n");
}

function setupLines({ lan, public: beyond, public_hint }: SetupText): string[] {
  return [
    "",
    "Connect Claude Code, on the agent's machine: MCP server, hook and settings, each tried out",
    indent(lan.connect),
    "Or the MCP server alone:",
    indent(lan.claude_cli),
    "Or the plugin, which also wakes an idle session:",
    indent(lan.plugin_install),
    "Or for one project, as .mcp.json (keep it out of version control):",
    indent(lan.mcp_json),
    "",
    "Tell the agent:",
    indent(lan.agent_brief),
    "",
    ...(beyond
      ? [
          `From elsewhere, by ${beyond.url}:`,
          indent(beyond.connect),
          indent(beyond.claude_cli),
          indent(beyond.plugin_install),
        ]
      : [public_hint ?? ""]),
    "PowerShell, the watcher and the rest: the same command with --json, under setup.",
  ];
}

async function showTokens(
  { output }: Shell,
  { json, org, agent, live = false }: OrganizationOption & { agent?: string; live?: true | false },
) {
  const tokens = await asOperator(org, async (operator) => {
    const all: z.output<typeof tokenAnswer>[] = [];
    for (let before_id: string | undefined; ;) {
      const page = await operator.call(listTokens, { agent, live_only: live, before_id, limit: 500 });
      all.push(...page.tokens);
      if (page.next === null) return all;
      before_id = page.next;
    }
  });
  if (json) return output.value({ count: tokens.length, tokens });
  if (tokens.length === 0) return output.say("There are no tokens. Make one with: token add.");
  const rows = tokens.map((token) => [
    token.id,
    token.agent,
    token.all_rooms ? "(all)" : token.rooms.join(","),
    token.roles.at(-1) ?? "",
    token.state,
    token.expires_at ?? "never",
    token.last_seen ?? "never",
    token.label,
  ]);
  output.say(table(["ID", "AGENT", "ROOMS", "ROLE", "STATE", "EXPIRES", "LAST SEEN", "LABEL"], rows));
}

async function endTokens(
  { output }: Shell,
  { json, org, id: token_id, agent }: OrganizationOption & { id?: string; agent?: string },
) {
  if ((token_id === undefined) === (agent === undefined))
    throw new UsageError("Name the token by --id, or all of an agent by --agent.");
  const answer = await asOperator(org, (operator) => operator.call(revokeToken, { token_id, agent }));
  if (json) return output.value(answer);
  output.say(
    answer.revoked === 0
      ? "Nothing to revoke: it was revoked before."
      : `Revoked ${answer.revoked} of ${answer.agents.join(", ")}: ${answer.token_ids.join(", ")}`,
  );
}

async function purge(
  { output }: Shell,
  { json, org, olderThanDays, yes }: OrganizationOption & { olderThanDays: number; yes?: true },
) {
  if (!yes)
    throw new UsageError(
      `This removes every token revoked at least ${olderThanDays} days ago, for ever. Repeat with --yes.`,
    );
  const answer = await asOperator(org, (operator) => operator.call(purgeTokens, { older_than_days: olderThanDays }));
  if (json) return output.value(answer);
  output.say(
    `Removed ${answer.removed} revoked tokens; ${answer.revoked_remaining} revoked ones remain, ${answer.live_tokens} live.`,
  );
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
