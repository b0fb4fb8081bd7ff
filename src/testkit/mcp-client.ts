import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Value } from "./actor.ts";

/** An official MCP client, connected as a member of the cast. */
export interface McpActor extends AsyncDisposable {
  readonly client: Client;
  /** The answer as an object; throws when the tool gives an error. */
  call(name: string, input: Value): Promise<Value>;
  /** The text as it stands, an error's too. */
  text(name: string, input: Value): Promise<string>;
  tools(): Promise<{ name: string }[]>;
}

/** `modern`: the 2026-07-28 revision, one request at a time. `legacy`: the handshake of the revisions before. */
export type Era = "modern" | "legacy";

export function connect(
  hub: { url: string; token(handle: string): string },
  handle: string,
  era: Era = "modern",
): Promise<McpActor> {
  return connectWith(hub, hub.token(handle), era);
}

/** The same with any token, or none: as a guest. */
export async function connectWith(
  hub: { url: string },
  token: string | undefined,
  era: Era = "modern",
): Promise<McpActor> {
  const client = new Client(
    { name: "crewroom-test", version: "1.0.0" },
    era === "modern" ? { versionNegotiation: { mode: "auto" } } : {},
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit: { headers } }));

  async function run(name: string, input: Value) {
    const result = await client.callTool({ name, arguments: input });
    const [part] = result.content;
    if (part?.type !== "text") throw new Error(`${name} gave no text.`);
    return { text: part.text, isError: result.isError === true };
  }

  return {
    client,
    async call(name, input) {
      const { text, isError } = await run(name, input);
      if (isError) throw new Error(text);
      return JSON.parse(text) as Value; // the hub's answers are objects
    },
    text: async (name, input) => (await run(name, input)).text,
    tools: async () => (await client.listTools()).tools,
    [Symbol.asyncDispose]: () => client.close(),
  };
}
