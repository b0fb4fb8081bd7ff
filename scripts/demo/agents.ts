import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Answer } from "./hub.ts";
import type { Environment } from "./programs.ts";

const BRIDGE = join(import.meta.dirname, "../../src/agent/bridge-main.ts");

/** An agent's MCP client, the official one, in its session `s1`. */
export interface Agent extends AsyncDisposable {
  readonly name: string;
  /** The revision of MCP that it speaks with the hub. */
  readonly era: string;
  /** @throws Error with what the hub says when it refuses. */
  call(tool: string, input?: Record<string, unknown>): Promise<Answer>;
}

/** Connects over HTTP. */
export async function connect(
  name: string,
  { CREWROOM_URL = "", CREWROOM_TOKEN = "" }: Environment,
  mode: "auto" | "legacy",
): Promise<Agent> {
  const headers = { authorization: `Bearer ${CREWROOM_TOKEN}`, "x-crewroom-session": "s1" };
  const transport = new StreamableHTTPClientTransport(new URL(`${CREWROOM_URL}/mcp`), { requestInit: { headers } });
  const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return agentOf(name, client);
}

/** Connects through a bridge of its own, as the plugin does; `kill` ends that by SIGKILL. */
export async function connectByBridge(
  name: string,
  environment: Environment,
): Promise<Agent & { readonly pid: number; kill(): void }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BRIDGE],
    env: { ...environment },
    stderr: "ignore",
  });
  const client = new Client({ name, version: "1.0.0" });
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  return { ...agentOf(name, client), pid, kill: () => void process.kill(pid, "SIGKILL") };
}

function agentOf(name: string, client: Client): Agent {
  return {
    name,
    era: client.getNegotiatedProtocolVersion() ?? "",
    async call(tool, input = {}) {
      const { content, isError } = await client.callTool({ name: tool, arguments: input });
      const text = content[0]?.type === "text" ? content[0].text : "";
      if (isError) throw new Error(text);
      return JSON.parse(text) as Answer; // a tool's text is one JSON object
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
