import { expect, test } from "vitest";
import { LIMITS } from "../src/core/limits.ts";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { connect, type McpActor } from "../src/testkit/mcp-client.ts";

/** What takes one to twelve bytes a character to write. */
const KINDS = {
  letters: "x",
  quotes: '"',
  "line breaks": "\n",
  controls: "\u001b",
  "what has no width": "\u200b",
  CJK: "漢",
  emoji: "😀",
  tags: "\u{e0041}",
};

const filled = (character: string, length: number) => `a${character.repeat(length - 2)}z`;

/** The longest of everything, twice, and enough of what is small to need a second page. */
async function fill(hub: TestHub, character: string) {
  const box2 = hub.as("box2");
  const long = filled(character, 16_384);
  await box2.call("set_room_info", {
    description: filled(character, 2_000),
    onboarding_notes: filled(character, 4_000),
  });
  for (const title of [filled(character, 300), "t2"]) await box2.call("create_task", { title, body: long });
  for (let n = 1; n <= 3; n += 1) await box2.call("add_note", { task_id: 1, body: long });
  for (let n = 1; n <= 2; n += 1) await box2.call("post_message", { body: long });
  for (let n = 1; n <= 40; n += 1) await box2.call("post_message", { body: filled(character, 500) });
}

interface Page {
  readonly text: string;
  readonly answer: Value;
  readonly items: readonly Value[];
}

/** All pages of a list, as a model gets them. */
async function pagesOf(mcp: McpActor, name: string, list: string, first: Value): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next: Value | null = first; next;) {
    const text = await mcp.text(name, { ...first, ...next });
    const answer = JSON.parse(text) as Value; // an answer is an object
    pages.push({ text, answer, items: answer[list] ?? answer["task"][list] });
    next = typeof answer["next"] === "string" ? { after: answer["next"] } : answer["next"];
    expect(pages.length).toBeLessThan(60);
  }
  return pages;
}

async function resourceOf({ client }: McpActor, uri: string): Promise<string> {
  const [part] = (await client.readResource({ uri })).contents;
  return part && "text" in part ? part.text : "";
}

/** What a prompt hands over of others' text, without the words around it and the marks before each line. */
async function promptOf({ client }: McpActor, name: string): Promise<string> {
  const [message] = (await client.getPrompt({ name })).messages;
  const lines = message?.content.type === "text" ? message.content.text.split("\n") : [];
  return lines
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2))
    .join("\n");
}

/** Each is what was written, or as `_cut` says its beginning. */
function expectBodies(pages: readonly Page[], bodies: readonly string[]) {
  const shown = pages.flatMap(({ items, answer }) => items.map((item) => ({ body: item["body"] as string, answer })));
  expect(shown.length).toBe(bodies.length);
  for (const [at, { body, answer }] of shown.entries()) {
    const whole = bodies[at] ?? "";
    expect(whole.startsWith(body)).toBe(true);
    expect(body.length < whole.length).toBe(answer["_cut"] !== undefined);
  }
}

onEachStore("an answer on MCP", (start) => {
  test.each(Object.entries(KINDS))("ends in time, full of %s", async (_, character) => {
    await using hub = await start();
    await fill(hub, character);
    await using mcp = await connect(hub, "box1");
    const long = filled(character, 16_384);

    const messages = await pagesOf(mcp, "read_messages", "messages", { since_id: 0, limit: 200 });
    const tasks = await pagesOf(mcp, "list_tasks", "tasks", {});
    const notes = await pagesOf(mcp, "get_task", "notes", { task_id: 1 });
    const rooms = await pagesOf(mcp, "list_rooms", "rooms", {});
    const events = await pagesOf(mcp, "read_events", "events", { since_id: 0, limit: 500 });
    const others = [
      await mcp.text("get_room_info", {}),
      await mcp.text("whats_new", {}),
      await mcp.text("claim_task", { task_id: 1 }),
      await mcp.text("update_task", { task_id: 1, title: "t3" }),
      await resourceOf(mcp, "crewroom://rooms/lobby/tasks/1"),
      await promptOf(mcp, "board"),
    ];

    for (const text of others) expect(text.length).toBeGreaterThan(2_000);
    for (const text of [...[messages, tasks, notes, rooms, events].flat().map((page) => page.text), ...others])
      expect(text.length).toBeLessThanOrEqual(LIMITS.mcpAnswerLength);
    for (const { text, items } of [messages, tasks, rooms, events].flat())
      if (items.length > 1) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.mcpAnswerBytes);
    for (const { text, answer, items } of notes)
      if (items.length > 1 || (items.length === 1 && answer["task"]["body"] !== ""))
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMITS.mcpAnswerBytes);
    expectBodies(messages, [long, long, ...Array<string>(40).fill(filled(character, 500))]);
    expectBodies(tasks, [long, long]);
    expectBodies(notes, [long, long, long]);
    expect(notes[0]?.answer["task"]["body"]).not.toBe("");
  });
});
