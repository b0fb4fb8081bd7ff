import { type Command, InvalidArgumentError } from "commander";
import { type ClientName, CLIENT_NAMES, clientNamed } from "../../agent/adapters/adapters.ts";
import { agentEnvironment } from "../../config.ts";
import { operations } from "../../operations.ts";
import { type ConnectionOptions, withConnection } from "../connection.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import { type OutputOption, type Shell, withOutput } from "../shell.ts";
import { connectClients, type Connected } from "./connect-clients.ts";
import { placesIn } from "./places.ts";
import { REMARKS } from "./plans.ts";
import { disconnectClients } from "./disconnect-clients.ts";

interface ConnectOptions extends ConnectionOptions, OutputOption {
  readonly client?: readonly ClientName[];
  readonly room?: string;
  readonly project?: true;
  readonly allowReadTools?: true;
  readonly undo?: true;
}

/** `connect`: sets this machine up for a hub, and takes that out again. */
export function addConnectCommand(program: Command, shell: Shell): void {
  const named = CLIENT_NAMES.join(", ");
  withConnection(
    withOutput(
      program
        .command("connect")
        .description(
          "set up a coding agent on this machine: its MCP server, its hook, its settings; then try each of them",
        ),
    ),
  )
    .option("--client <name>", `${named}; may be repeated; claude unless given`, readClient)
    .option("--room <name>", "the room to tell news of; the token's own unless given")
    .option("--project", "for the project in this folder alone (Claude Code)")
    .option("--allow-read-tools", "let Claude Code call the tools that only read without asking")
    .option("--undo", "take out what connect put in")
    .action((options: ConnectOptions) => (options.undo ? disconnect(shell, options) : connect(shell, options)));
}

function readClient(name: string, before: readonly ClientName[] = []): readonly ClientName[] {
  const client = clientNamed(name);
  if (!client) throw new InvalidArgumentError(`There is ${CLIENT_NAMES.join(", ")}.`);
  return before.includes(client) ? before : [...before, client];
}

async function connect(shell: Shell, { json, client: clients = ["claude"], ...options }: ConnectOptions) {
  if (options.project && clients.some((client) => client !== "claude"))
    throw new UsageError(
      "--project is for Claude Code: the other clients would have the token in the project's files.",
    );
  const places = placesIn(agentEnvironment(), options.project && process.cwd());
  const connected = await connectClients({ ...options, clients, places, readTools: readTools() }, shell.output);
  if (connected.proofs.some(({ ok }) => !ok)) shell.exit = EXIT.usage;
  if (json) return shell.output.value(connected);
  for (const line of linesFor(shell, connected, options.project)) shell.output.say(line);
}

function linesFor(
  { command }: Shell,
  { ok, changed, by_hand, proofs, clients, read_permissions }: Connected,
  project: true | undefined,
): string[] {
  return [
    ...proofs.map(({ ok: worked, step, says }) => `${worked ? "ok  " : "fail"}  ${step.padEnd(6)} ${says}`),
    "",
    ...(changed.length === 0 ? ["Nothing had to be changed."] : ["Written:", ...changed.map((file) => `  ${file}`)]),
    ...by_hand.map((file) => `Left as it was, as it says the same by hand: ${file}`),
    ...clients.map((client) => REMARKS[client]),
    ...(read_permissions.length > 0
      ? [
          `To let Claude Code call what only reads without asking, run this again with --allow-read-tools; it adds ${read_permissions.join(", ")}.`,
        ]
      : []),
    `${ok ? "Connected." : "Not connected: see what failed above."} ${command} connect --undo${project ? " --project in this folder" : ""} takes it out.`,
  ];
}

function disconnect({ output }: Shell, { json, client: clients, project }: ConnectOptions) {
  const places = placesIn(agentEnvironment(), project && process.cwd());
  const undone = disconnectClients(places, clients);
  if (json) return output.value(undone);
  const { changed, left } = undone;
  if (changed.length === 0) return output.say("There is nothing of connect here.");
  output.say(["Taken out:", ...changed.map((file) => `  ${file}`)].join("\n"));
  for (const file of left) output.say(`Left as it is, as somebody changed it since: ${file}`);
  output.say("The token itself works on until it is revoked at the hub: token revoke, or its page.");
}

/** The tools that change nothing and that any agent may call. */
function readTools(): string[] {
  const reading = new Set(["query", "wait", "handover"]);
  return operations
    .filter((operation) => reading.has(operation.kind) && !("notForAgents" in operation))
    .filter(({ needs }) => needs === "read" || needs === "person_read")
    .map(({ name }) => name);
}
