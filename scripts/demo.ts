import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { operatorCaller } from "../src/access/operator.ts";
import { readSettings } from "../src/config.ts";
import { execute } from "../src/core/execute.ts";
import type { Operation } from "../src/core/operation.ts";
import { createRoom } from "../src/features/rooms/create-room.ts";
import { createToken } from "../src/features/tokens/create-token.ts";
import { FIRST_ORGANIZATION } from "../src/config.ts";
import { type Hub, startHub } from "../src/hub.ts";

/** Where the recording stands. */
export const RECORDING = join(import.meta.dirname, "../docs/demo.txt");

/** Prints a line; `who` says whose name stands at its beginning. */
export type Print = (line: string, who?: string) => void;

// What a tool answers is its own business; the story prints what it finds.
// oxlint-disable-next-line no-explicit-any
type Answer = Record<string, any>;

/** An agent with an MCP client and a token of its own. */
interface Agent {
  readonly name: string;
  readonly era: string;
  readonly tools: number;
  /** Calls a tool and prints the call. */
  call(tool: string, input?: Record<string, unknown>): Promise<Answer>;
  /** Prints what this agent sees. */
  sees(line: string): void;
  close(): Promise<void>;
}

/**
 * Starts a hub on a free port with an empty database, and lets two agents do a piece of work in it.
 *
 * @returns who won the race for the task.
 */
export async function playDemo(print: Print): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-demo-"));
  const hub = await startHub(
    readSettings({ PORT: "0", CREWROOM_DB: join(folder, "crewroom.db"), CREWROOM_LOG: "warn" }),
  );
  try {
    print(`A hub serves ${hub.url} from an empty SQLite file. Two agents have a token each.`);
    await runOnHub(hub, createRoom, { name: "greenhouse", description: "Probes and pumps of the greenhouse." });
    const ada = await connect(hub, "ada", "auto", print);
    const bob = await connect(hub, "bob", "legacy", print);
    const winner = await tell(ada, bob, print);
    await Promise.all([ada.close(), bob.close()]);
    return winner;
  } finally {
    await hub.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tell(ada: Agent, bob: Agent, print: Print): Promise<string> {
  print("\n1. They join. One speaks the newest revision of MCP, the other an older one; the address is the same.\n");
  for (const agent of [ada, bob]) agent.sees(`MCP ${agent.era}, ${agent.tools} tools`);
  await bob.call("get_room_info").then(({ name, description }) => bob.sees(`${name}: ${description}`));
  await bob.call("whats_new").then((news) => showNews(bob, news));

  print("\n2. Ada posts, and names Bob. The hub says by which paths he can be reached.\n");
  const posted = await ada.call("post_message", { body: "@bob the probe in bed 3 reads zero. Wiring or water?" });
  ada.sees(`m${posted["message_id"]}; ${posted["mentioned"].map(reach).join(", ")}`);

  print("\n3. She puts it on the board, and both claim it at the same moment. One wins; the other is told who.\n");
  const { created } = await ada.call("create_task", { title: "Find out why bed 3 reads zero", priority: 1 });
  ada.sees(`#${created.id} ${created.status}: ${created.title}`);
  const [winner, loser] = await race(ada, bob, created.id);

  print(`\n4. The winner hands it over to ${loser.name}, who takes it.\n`);
  const input = { task_id: created.id, to: loser.name, reason: "The wiring is fine: it is the pump." };
  await winner.call("release_task", input).then(({ task }) => winner.sees(`#${task.id} waits for ${task.assignee}`));
  await loser.call("claim_task", { task_id: created.id }).then((answer) => showClaim(loser, answer));

  print(`\n5. What is new for ${loser.name}: what others did, once, with a mark at what concerns ${loser.name}.\n`);
  await loser.call("whats_new").then((news) => showNews(loser, news));

  print(`\n6. The work is done: ${loser.name} says so, and finishes the task as of the version last seen.\n`);
  const note = await loser.call("add_note", { task_id: created.id, body: "The filter was blocked. Cleaned." });
  loser.sees(`note added; the task is at version ${note["version"]}`);
  const finish = { task_id: created.id, status: "done", expected_version: note["version"] };
  await loser.call("update_task", finish).then(({ task }) => loser.sees(`#${task.id} ${task.status}`));

  print(`\n7. What is new for ${winner.name}; and, asked again, nothing.\n`);
  await winner.call("whats_new").then((news) => showNews(winner, news));
  await winner.call("whats_new").then((news) => showNews(winner, news));
  return winner.name;
}

async function race(ada: Agent, bob: Agent, task_id: number): Promise<[winner: Agent, loser: Agent]> {
  const [his, hers] = await Promise.all([bob.call("claim_task", { task_id }), ada.call("claim_task", { task_id })]);
  showClaim(ada, hers);
  showClaim(bob, his);
  if (his["claimed"] === hers["claimed"])
    throw new Error("Of two claims of one task, one wins; here it was both or none.");
  return hers["claimed"] ? [ada, bob] : [bob, ada];
}

function showClaim(agent: Agent, { claimed, reason, holder, lease_ends_at, claim_number, task }: Answer) {
  agent.sees(
    claimed
      ? `#${task.id} is mine (claim ${claim_number}) until ${lease_ends_at}`
      : `claimed: false, ${reason}; holder ${holder} until ${lease_ends_at}`,
  );
}

function showNews(agent: Agent, { events, remaining }: Answer) {
  if (events.length === 0) return agent.sees("nothing new");
  for (const { kind, actor, task_id, message_id, detail, for_you } of events) {
    const about = task_id === null ? (message_id === null ? "" : `m${message_id}`) : `#${task_id}`;
    agent.sees(
      [for_you ? "→ you" : "     ", kind.padEnd(17), actor.padEnd(4), about.padEnd(3), detail].join(" ").trimEnd(),
    );
  }
  if (remaining > 0) agent.sees(`and ${remaining} more`);
}

function reach({ handle, paths }: { handle: string; paths: readonly string[] }): string {
  return paths.length === 0 ? `${handle} reads it later` : `${handle} can be reached by ${paths.join(", ")}`;
}

async function connect(hub: Hub, name: string, mode: "auto" | "legacy", print: Print): Promise<Agent> {
  const { token } = await runOnHub(hub, createToken, { agent: name, room: "greenhouse" });
  const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit }));
  return {
    name,
    era: client.getNegotiatedProtocolVersion() ?? "",
    tools: (await client.listTools()).tools.length,
    async call(tool, input = {}) {
      print(`${tool} ${JSON.stringify(input)}`, name);
      const { content, isError } = await client.callTool({ name: tool, arguments: input });
      const text = content[0]?.type === "text" ? content[0].text : "";
      if (isError) throw new Error(`${name} ${tool}: ${text}`);
      return JSON.parse(text) as Answer; // a tool's text is one JSON object
    },
    sees: (line) => print(`    ${line}`, name),
    close: () => client.close(),
  };
}

/** As the operator, who made the hub. */
async function runOnHub(hub: Hub, operation: Operation, input: Record<string, unknown>): Promise<Answer> {
  const caller = await operatorCaller(hub.store, FIRST_ORGANIZATION);
  return (await execute(hub.core, operation, { caller, input })).value;
}

/** A play with what differs each time left out. */
export async function recordDemo(): Promise<{ text: string; winner: string }> {
  const lines: string[] = [];
  const winner = await playDemo((line, who) => lines.push(who ? `${who}  ${line}` : line));
  const text = `${lines.join("\n")}\n`
    .replaceAll(/http:\/\/[\d.:]+/g, "http://127.0.0.1:<port>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\d+ tools/g, "<n> tools");
  return { text, winner };
}

const COLOURS = { ada: "cyan", bob: "magenta" } as const;

function printToTerminal(line: string, who?: string) {
  if (!who) return console.log(line.replace(/^\n(.*)\n$/, (_, title: string) => `\n${styleText("bold", title)}\n`));
  const colour = who === "ada" ? COLOURS.ada : COLOURS.bob;
  const isAnswer = line.startsWith("    ");
  console.log(`${styleText(colour, who)}  ${isAnswer ? line : styleText("dim", line)}`);
}

if (import.meta.main) {
  if (process.argv.includes("--record")) writeFileSync(RECORDING, (await recordDemo()).text);
  else await playDemo(printToTerminal);
}
