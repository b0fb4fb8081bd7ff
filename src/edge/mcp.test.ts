import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import type { Role } from "../core/operation.ts";
import { startTestMcp, type TestMcp } from "../testkit/mcp.ts";

const ERAS = ["legacy", "modern"] as const;

async function connect(mcp: TestMcp, era: (typeof ERAS)[number]): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp.url)));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

function textOf(result: unknown): string {
  const { content } = result as { content: { text: string }[] }; // every tool of ours answers one text
  expect(content).toHaveLength(1);
  return content[0]?.text ?? "";
}

describe.each(ERAS)("/mcp with the official client, %s era", (era) => {
  it("opens, names the hub and gives the instructions", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    expect(client.getServerVersion()).toMatchObject({ name: "crewroom", version: "1.2.3" });
    expect(client.getInstructions()).toContain("claim_task");
    expect(client.getServerCapabilities()).toEqual({ tools: {}, prompts: {}, resources: {} });
  });

  it("lists tools and runs one", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    const { tools } = await client.listTools();
    const result = await client.callTool({ name: "read_greeting", arguments: { times: 2 } });

    expect(tools.map(({ name }) => name)).toEqual(["read_greeting", "write_greeting", "await_greeting"]);
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toBeUndefined();
    const answer = JSON.parse(textOf(result));
    expect(answer).toEqual({
      _note: expect.stringContaining("greeting: text other members wrote"),
      greeting: 'hello hello </answer>"}\u202e 24000',
      by: "box1",
    });
    expect(Object.keys(answer)[0]).toBe("_note");
  });

  it("tells a refusal as a tool error that begins with its code and changes nothing", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    const refused = await client.callTool({ name: "read_greeting", arguments: { times: 2, volume: 3 } });
    const roomless = await client.callTool({ name: "read_greeting", arguments: { room: "attic" } });

    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(
      /^bad_input: The input has unknown fields "volume"; known are .*Correct that field/,
    );
    expect(textOf(roomless)).toBe(
      'room_not_granted: Room "attic" is not granted to this credential. Granted: lobby. Name one of the granted rooms, or leave room out for the default one. {"room":"attic","rooms":["lobby"]}',
    );
    expect(mcp.runs.size).toBe(0);
  });

  it("tells a fault by its trace and logs the cause", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    const result = await client.callTool({ name: "write_greeting", arguments: { text: "broken" } });

    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      'internal: This is a fault of the hub. Tell the operator the trace. {"trace":"trace-1"}',
    );
    expect(mcp.logged.join()).toContain("the secret reason");
    expect(mcp.logged.join()).toContain("trace-1");
  });

  it("refuses a tool that is not there", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    await expect(client.callTool({ name: "no_such_tool" })).rejects.toMatchObject({ code: -32602 });
  });

  it("does a repeated call once: by the client's own id, and by a key that no schema shows", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);
    const byId = { name: "write_greeting", arguments: { text: "a" }, _meta: { "claudecode/toolUseId": "toolu_01" } };
    const byKey = { name: "write_greeting", arguments: { text: "b", idempotency_key: "k1" } };

    const first = [textOf(await client.callTool(byId)), textOf(await client.callTool(byKey))];
    const second = [textOf(await client.callTool(byId)), textOf(await client.callTool(byKey))];

    expect(second).toEqual(first);
    expect(mcp.runs.get("write_greeting")).toBe(2);
  });

  it("decodes numbers, lists and truth values that came as text, and no others", async () => {
    await using mcp = await startTestMcp();
    await using client = await connect(mcp, era);

    const decoded = await client.callTool({
      name: "read_greeting",
      arguments: { times: "2", words: "[1,2]", loud: "true", title: "7" },
    });
    const inList = await client.callTool({ name: "read_greeting", arguments: { words: ["1", 2] } });
    const wrong = await client.callTool({ name: "read_greeting", arguments: { times: "two" } });
    const notText = await client.callTool({ name: "read_greeting", arguments: { title: 7 } });

    expect(JSON.parse(textOf(decoded))).toMatchObject({ words: [1, 2], loud: true, title: "7" });
    expect(JSON.parse(textOf(inList))).toMatchObject({ words: [1, 2] });
    expect(textOf(wrong)).toMatch(/^bad_input: times: /);
    expect(textOf(notText)).toMatch(/^bad_input: title: /);
  });
});

describe("/mcp tools/list", () => {
  const listFor = async (roles: readonly Role[]) => {
    await using mcp = await startTestMcp({ roles });
    const response = await mcp.post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    return ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools;
  };

  it("holds what the caller may call, in a fixed order", async () => {
    const namesFor = async (roles: readonly Role[]) => (await listFor(roles)).map(({ name }) => name);

    expect(await namesFor(["read"])).toEqual(["read_greeting", "await_greeting"]);
    expect(await namesFor(["read", "write"])).toEqual(["read_greeting", "write_greeting", "await_greeting"]);
    expect(await namesFor(["write", "admin", "read"])).toEqual([
      "read_greeting",
      "write_greeting",
      "rule_greetings",
      "await_greeting",
    ]);
  });

  it("is light, plain and says what only reads", async () => {
    const [first, second] = await listFor(["read", "write"]);

    expect(first).toEqual({
      name: "read_greeting",
      description: "Gives a greeting that somebody wrote.",
      inputSchema: {
        type: "object",
        properties: {
          times: { type: "integer", maximum: 9, description: "How often" },
          loud: { type: "boolean" },
          words: { type: "array", items: { type: "integer" } },
          tone: { type: "string", enum: ["warm", "cold"] },
          title: { type: "string", maxLength: 40 },
          room: { type: "string" },
        },
      },
      annotations: { readOnlyHint: true },
      _meta: { "anthropic/alwaysLoad": true },
    });
    expect(second).not.toHaveProperty("annotations");
    expect(second).toHaveProperty("inputSchema.required", ["text"]);
  });
});

describe("/mcp waiting", () => {
  it("ends a wait when its client goes away", async () => {
    await using mcp = await startTestMcp();
    const control = new AbortController();
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "await_greeting", arguments: {} } };

    const waiting = fetch(mcp.url, {
      method: "POST",
      body: JSON.stringify(call),
      headers: { "content-type": "application/json" },
      signal: control.signal,
    });
    await expect.poll(() => mcp.runs.get("await_greeting")).toBe(1);
    control.abort();

    await expect(waiting).rejects.toThrow();
    await expect.poll(() => mcp.runs.get("await_greeting ended")).toBe(1);
  });
});
