import assert from "node:assert/strict";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { HubProcess } from "./hub-process.ts";
import type { Report } from "./report.ts";

export const ERAS = ["2026-07-28", "2025-11-25"] as const;
export type Era = (typeof ERAS)[number];

/** The official TypeScript client in one of the eras it speaks: two agents do a day's work. */
export function checkTypeScriptClient({ section, check }: Report, hub: HubProcess, era: Era): Promise<void> {
  return section(`official TypeScript client, ${era}, on ${hub.store}`, async () => {
    const room = `ts-${era}`;
    const ann = await connect(hub, era, await hub.mint(`ann-${era}`, room));
    const ben = await connect(hub, era, await hub.mint(`ben-${era}`, room));
    const pair = { check, era, room, ann, ben };
    await checkLists(pair);
    await checkWork(pair);
    await checkBoard(pair);
    await checkRefusals(pair);
    await check("a wrong token does not get in", async () => {
      await assert.rejects(connect(hub, era, WRONG_TOKEN), /401|Unauthorized|not_signed_in/i);
    });
    await Promise.all([ann.client.close(), ben.client.close()]);
  });
}

/** Of the right form, but nobody's. */
const WRONG_TOKEN = "crw_agt_000000000000000000000000000000000000";

interface Pair {
  readonly check: Report["check"];
  readonly era: Era;
  readonly room: string;
  readonly ann: Agent;
  readonly ben: Agent;
}

async function checkLists({ check, era, room, ann, ben }: Pair) {
  await check(`speaks ${era} and is told who serves`, () => {
    assert.equal(ann.client.getNegotiatedProtocolVersion(), era);
    assert.equal(ann.client.getServerVersion()?.name, "crewroom");
    assert.match(ann.client.getInstructions() ?? "", /claim_task/);
  });
  await check("lists the tools of a plain agent, the same for both", async () => {
    const { tools } = await ann.client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const name of AN_AGENTS_TOOLS) assert(names.includes(name), `${name} is missing`);
    for (const name of AN_ADMINS_TOOLS) assert(!names.includes(name), `${name} is offered`);
    for (const tool of tools) assert(tool.description && tool.inputSchema.type === "object", tool.name);
    assert.deepEqual((await ben.client.listTools()).tools, tools);
  });
  await check("lists prompts, and gets one with the board in it", async () => {
    await ann.call("create_task", { title: "Mount the antenna" });
    const { prompts } = await ann.client.listPrompts();
    assert.deepEqual(
      prompts.map((prompt) => prompt.name).filter((name) => ["board", "join", "standup"].includes(name)).length,
      3,
    );
    const { messages } = await ann.client.getPrompt({ name: "board", arguments: { room } });
    assert.match(JSON.stringify(messages), /Mount the antenna/);
  });
  await check("lists resources and templates, and reads a room and a task", async () => {
    const { resources } = await ann.client.listResources();
    assert.deepEqual(
      resources.map((resource) => resource.uri),
      [`crewroom://rooms/${room}`],
    );
    assert((await ann.client.listResourceTemplates()).resourceTemplates.length >= 2);
    for (const uri of [`crewroom://rooms/${room}`, `crewroom://rooms/${room}/tasks/1`]) {
      const { contents } = await ann.client.readResource({ uri });
      assert.deepEqual([contents.length, contents[0]?.uri], [1, uri]);
    }
  });
}

const AN_AGENTS_TOOLS = [
  "post_message",
  "read_messages",
  "whats_new",
  "wait_for_change",
  "create_task",
  "claim_task",
  "release_task",
];
const AN_ADMINS_TOOLS = ["create_token", "delete_room", "instance_state"];

async function checkWork({ check, era, ann, ben }: Pair) {
  await check("posts, and the other one reads it", async () => {
    const body = `@ben-${era} the antenna is on the roof`;
    const { message_id, mentioned } = await ann.call("post_message", { body });
    const { messages } = await ben.call("read_messages", {});
    assert.deepEqual(
      messages.map((message: { id: number; body: string }) => [message.id, message.body]),
      [[message_id, body]],
    );
    assert.equal(mentioned[0]?.handle, `ben-${era}`);
  });
  await check("hears what is new once, and never its own", async () => {
    const { events } = await ben.call("whats_new", {});
    assert(events.some((event: { kind: string; for_you?: boolean }) => event.kind === "message" && event.for_you));
    assert(events.every((event: { by_you: boolean }) => !event.by_you));
    assert.deepEqual((await ben.call("whats_new", {})).events, []);
  });
  await check("waits, and is woken by what the other one does", async () => {
    const asked = Date.now();
    const [woken] = await Promise.all([
      ben.call("wait_for_change", { timeout_s: 20 }),
      ann.call("post_message", { body: "awake?" }),
    ]);
    assert.equal(woken.changed, true);
    assert(Date.now() - asked < 10_000, "it was woken late");
  });
  await check("a call repeated under one key acts once", async () => {
    const input = { body: "once", idempotency_key: `key-${era}` };
    const first = await ann.call("post_message", input);
    assert.equal((await ann.call("post_message", input)).message_id, first.message_id);
  });
}

async function checkBoard({ check, era, ann, ben }: Pair) {
  await check("two claim at the same time: one wins, the other is told who holds it", async () => {
    const { created } = await ann.call("create_task", { title: "Point it north" });
    const answers = await Promise.all([ann, ben].map((agent) => agent.call("claim_task", { task_id: created.id })));
    const won = answers.find((answer) => answer.claimed);
    const lost = answers.find((answer) => !answer.claimed);
    assert.deepEqual([won?.claimed, lost?.claimed], [true, false]);
    assert.equal(lost?.holder, won?.task.assignee);
    assert(lost?.lease_ends_at, "the loser is not told until when");
  });
  await check("hands a task over, and then can no longer finish it", async () => {
    const { created } = await ben.call("create_task", { title: "Ground the mast" });
    await ann.call("claim_task", { task_id: created.id });
    const handed = await ann.call("release_task", {
      task_id: created.id,
      to: `ben-${era}`,
      reason: "I have no ladder",
    });
    assert.equal(handed.released, true);
    assert.equal((await ben.call("claim_task", { task_id: created.id })).claimed, true);
    const refused = await ann.raw("update_task", { task_id: created.id, status: "done" });
    assert.match(refused.text, new RegExp(`ben-${era}`));
    assert.equal((await ann.call("get_task", { task_id: created.id })).task.status, "in_progress");
  });
}

async function checkRefusals({ check, room, ann }: Pair) {
  await check("a refusal begins with its code and names the fact", async () => {
    const { isError, text } = await ann.raw("get_task", { task_id: 999 });
    assert.equal(isError, true);
    assert.match(text, /^task_not_found: There is no task #999 in room /);
  });
  await check("an unknown argument is refused by name", async () => {
    const { isError, text } = await ann.raw("post_message", { body: "hello", colour: "red" });
    assert.equal(isError, true);
    assert.match(text, /^bad_input: .*colour/);
  });
  await check("an unknown tool is an error of the protocol", async () => {
    await assert.rejects(ann.raw("no_such_tool", {}), (error: { code?: unknown }) => error.code === -32_602);
  });
  await check("so are an unknown prompt and what may not be read", async () => {
    await assert.rejects(ann.client.getPrompt({ name: "no-such-prompt" }));
    await assert.rejects(ann.client.readResource({ uri: `crewroom://rooms/${room}/tasks/999` }));
    await assert.rejects(ann.client.readResource({ uri: "crewroom://rooms/elsewhere" }));
  });
}

/** An agent with its client. */
interface Agent {
  readonly client: Client;
  raw(tool: string, input: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
  // What a tool answers is its own business; a check compares it with what it expects.
  // oxlint-disable-next-line no-explicit-any
  call(tool: string, input: Record<string, unknown>): Promise<Record<string, any>>;
}

async function connect(hub: HubProcess, era: Era, token: string): Promise<Agent> {
  const client = new Client(
    { name: "crewroom-check", version: "1.0.0" },
    era === "2026-07-28" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit }));
  const raw = async (name: string, input: Record<string, unknown>) =>
    toText(await client.callTool({ name, arguments: input }));
  return {
    client,
    raw,
    async call(tool, input) {
      const { text, isError } = await raw(tool, input);
      return isError ? { isError, text } : JSON.parse(text);
    },
  };
}

function toText({ content, isError = false }: CallToolResult): { text: string; isError: boolean } {
  const [part] = content;
  assert(content.length === 1 && part?.type === "text", "a result is one text");
  return { text: part.text, isError };
}
