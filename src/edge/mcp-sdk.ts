import {
  classifyInboundRequest,
  createMcpHandler,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { NEVER_KEPT, type Reply, type SignedAsk } from "./exchange.ts";
import { callTool, type Surroundings } from "./mcp-call.ts";
import { openElicitation } from "./mcp-elicit.ts";
import { GUEST_INSTRUCTIONS, INSTRUCTIONS } from "./mcp-instructions.ts";
import type { Prompts } from "./mcp-prompts.ts";
import { BATCHING, CACHE, HANDSHAKE, MODERN, RPC, rpcError, serverInfo } from "./mcp-protocol.ts";
import type { Resources } from "./mcp-resources.ts";
import type { ToolTable } from "./mcp-tools.ts";

/** What a server offers; made once. */
export interface Offer {
  readonly version: string;
  readonly tools: ToolTable;
  readonly prompts: Prompts;
  readonly resources: Resources;
}

export interface SdkWay {
  /** Serves any JSON that was posted: `body` is what the request held. */
  serve(body: unknown, around: Surroundings): Promise<Reply>;
  close(): Promise<void>;
}

/** Both eras through the official SDK: a server of a few handlers for each request, over tables made once. */
export function openSdkWay(offer: Offer): SdkWay {
  const waiting = new WeakMap<Request, Surroundings>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const around = requestInfo && waiting.get(requestInfo);
      if (!around) throw new Error("A request reached the SDK without its surroundings.");
      return makeServer(offer, around, [MODERN, ...HANDSHAKE]);
    },
    { legacy: "reject" },
  );

  return {
    async serve(body, around) {
      const request = toRequest(around.ask);
      const route = classifyInboundRequest({ httpMethod: "POST", body, ...standardHeaders(request.headers) });
      if (route.kind === "legacy") return serveHandshake(offer, request, body, around);
      waiting.set(request, around);
      return toReply(await modern.fetch(request, { parsedBody: body }));
    },
    close: () => modern.close(),
  };
}

async function serveHandshake(offer: Offer, request: Request, body: unknown, around: Surroundings): Promise<Reply> {
  const version = request.headers.get("mcp-protocol-version") ?? BATCHING;
  if (Array.isArray(body) && version !== BATCHING) {
    return rpcError(400, RPC.request, `Lists of messages belong to revision ${BATCHING} only: send them one by one.`);
  }
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some(isResponse))
    return rpcError(400, RPC.request, "This server asks its clients nothing, so it takes no responses.");
  const server = makeServer(offer, around, [...HANDSHAKE]);
  try {
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    return await toReply(await transport.handleRequest(request, { parsedBody: body }));
  } finally {
    await server.close();
  }
}

function makeServer({ version, tools, prompts, resources }: Offer, around: Surroundings, versions: string[]): Server {
  const elicitation = openElicitation(around.core.sealKey, around.ask.caller.credential);
  const server = new Server(serverInfo(version), {
    requestState: { verify: elicitation.verify },
    capabilities: { tools: {}, prompts: {}, resources: {} },
    instructions: around.ask.caller.roles.has("guest") ? GUEST_INSTRUCTIONS : INSTRUCTIONS,
    cacheHints: CACHE,
    supportedProtocolVersions: versions,
  });
  server.setRequestHandler("tools/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { tools: [...tools.listFor(around.ask.caller.roles)] };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = tools.find(params.name, around.ask.caller.roles);
    if (!tool) throw new ProtocolError(RPC.params, `Unknown tool: ${params.name.slice(0, 64)}`);
    const consent = elicitation.consentIn(context);
    const call = { tool, input: params.arguments ?? {}, meta: params._meta, consent };
    const { text, outcome, asks } = await callTool(around, call);
    const question = asks && (await elicitation.ask(asks, context));
    if (question) return question;
    return { content: [{ type: "text", text }], ...(outcome !== "ok" && { isError: true }) };
  });
  server.setRequestHandler("prompts/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts: prompts.listFor(around.ask.caller.roles) };
  });
  server.setRequestHandler("prompts/get", ({ params }) => prompts.get(around, params.name, params.arguments ?? {}));
  server.setRequestHandler("resources/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { resources: resources.listFor(around.ask.caller) };
  });
  server.setRequestHandler("resources/templates/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return { resourceTemplates: resources.templates };
  });
  server.setRequestHandler("resources/read", ({ params }) => resources.read(around, params.uri));
  return server;
}

/** No list of ours has a second page, so no cursor came from us. */
function refuseCursor(cursor: unknown) {
  if (cursor !== undefined) throw new ProtocolError(RPC.params, "Unknown cursor: this list has one page.");
}

function isResponse(message: unknown): boolean {
  return (
    typeof message === "object" &&
    message !== null &&
    !("method" in message) &&
    ("result" in message || "error" in message)
  );
}

function standardHeaders(headers: Headers) {
  const protocolVersionHeader = headers.get("mcp-protocol-version");
  const mcpMethodHeader = headers.get("mcp-method");
  return {
    ...(protocolVersionHeader !== null && { protocolVersionHeader }),
    ...(mcpMethodHeader !== null && { mcpMethodHeader }),
  };
}

const PROTOCOL_HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;

/** What the SDK may see of a request: its protocol headers. It wants both types accepted, though it answers JSON here. */
function toRequest({ headers }: SignedAsk): Request {
  const seen = new Headers({ accept: "application/json, text/event-stream", "content-type": "application/json" });
  for (const name of PROTOCOL_HEADERS) {
    const value = headers[name];
    if (typeof value === "string") seen.set(name, value);
  }
  return new Request("http://crewroom/mcp", { method: "POST", headers: seen });
}

async function toReply(response: Response): Promise<Reply> {
  const type = response.headers.get("content-type");
  return {
    status: response.status,
    headers: { ...NEVER_KEPT, ...(type !== null && { "content-type": type }) },
    body: await response.text(),
  };
}
