// The calls that are measured, as they go over the wire.
import type { Ready } from "./server.ts";

export interface Variant {
  readonly name: string;
  readonly requests: readonly string[];
  /** Roughly how large an answer is, so that the echo's is as large. */
  readonly answerBytes: number;
  /** How many events each caller's place lies behind the log's head. */
  readonly behind?: number | undefined;
}
type Surface = "/api" | "/mcp 2025" | "/mcp 2026";

const OPERATIONS = [
  { name: "whats_new, nothing new", tool: "whats_new", behind: 0, input: () => ({}), bytes: 300 },
  { name: "whats_new, 20 events", tool: "whats_new", behind: 20, input: () => ({ peek: true }), bytes: 4_000 },
  { name: "read_messages, 20", tool: "read_messages", input: () => ({ limit: 20 }), bytes: 3_500 },
  { name: "list_tasks, 20", tool: "list_tasks", input: () => ({ limit: 20 }), bytes: 13_000 },
  { name: "claim_task, held", tool: "claim_task", input: () => ({ task_id: 1 }), bytes: 1_000 },
  {
    name: "post_message",
    tool: "post_message",
    input: () => ({ body: "The build is green again; I go on with the parser." }),
    bytes: 300,
  },
  {
    name: "post_message, with key",
    tool: "post_message",
    input: () => ({ body: "The build is green again.", idempotency_key: key() }),
    bytes: 300,
  },
] as const;

/** Every operation over every surface; keys are fresh in each request. */
export function variants(ready: Ready, callers: number): Variant[] {
  const surfaces: Surface[] = ["/api", "/mcp 2025", "/mcp 2026"];
  const calls = OPERATIONS.flatMap((operation) =>
    surfaces.map((surface) => {
      const many = "with key" === operation.name.slice(-8) ? 40_000 : callers;
      const requests = Array.from({ length: many }, (_, index) => {
        const token = ready.tokens[`load${index % 64}`] ?? "";
        return wire(surface, operation.tool, operation.input(), token);
      });
      const behind = "behind" in operation ? operation.behind : undefined;
      return { name: `${surface.padEnd(10)} ${operation.name}`, requests, answerBytes: operation.bytes, behind };
    }),
  );
  const lists = (["/mcp 2025", "/mcp 2026"] as const).map((surface) => {
    const requests = [rpc(surface, "tools/list", {}, ready.tokens["load0"] ?? "")];
    return { name: `${surface.padEnd(10)} tools/list`, requests, answerBytes: 11_000 };
  });
  return [...calls, ...lists];
}

let count = 0;
function key(): string {
  return `bench-${process.pid}-${count++}`;
}

function wire(surface: Surface, operation: string, input: object, token: string): string {
  if (surface === "/api") return request(`/api/${operation}`, input, token);
  return rpc(surface, "tools/call", { name: operation, arguments: input }, token);
}

function rpc(
  surface: Surface,
  method: string,
  params: { readonly name?: string; readonly arguments?: object },
  token: string,
): string {
  if (surface === "/mcp 2025") {
    return request("/mcp", { jsonrpc: "2.0", id: 1, method, params }, token, ["mcp-protocol-version: 2025-11-25"]);
  }
  const version = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { roots: {}, elicitation: { form: {}, url: {} } },
  };
  const headers = [
    `mcp-protocol-version: ${version}`,
    `mcp-method: ${method}`,
    ...(params.name ? [`mcp-name: ${params.name}`] : []),
  ];
  return request("/mcp", { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }, token, headers);
}

function request(path: string, body: object, token: string, headers: readonly string[] = []): string {
  const accepts = "accept: application/json, text/event-stream";
  return wireOf(path, body, [`authorization: Bearer ${token}`, accepts, ...headers]);
}

/** A request as it goes over the wire; `headers` as they stand there. */
export function wireOf(path: string, body: object, headers: readonly string[]): string {
  const text = JSON.stringify(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}
