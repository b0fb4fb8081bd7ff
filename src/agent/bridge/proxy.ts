import { type Connection, HubUnreachable, reach } from "../../client/hub-client.ts";
import { awayAnswer, type Answer } from "./away.ts";
import { headersOf, isJson, type Json, readRequest, type Request, RPC, versionOf } from "./message.ts";

export interface ProxyParts {
  readonly connection: Connection;
  /** What the session is called now. */
  readonly session: () => string | undefined;
  /** Sends one message to the client. */
  readonly send: (message: Json) => void;
  readonly say: (line: string) => unknown;
}

/** Hands a client's messages on to the hub, and its answers back. */
export interface Proxy {
  /** Takes one line of the client. Resolves when it is answered; never fails. */
  take(line: string): Promise<void>;
  /** The hub can be reached: a client that was told of no tools is told that there are some. */
  hubIsThere(): void;
}

/** How long (ms) the hub may take for an answer. It waits for news up to a minute or so, as it is set. */
const PATIENCE = 300_000;

/** @source Model Context Protocol, "stdio": a message a line; both eras, as the client speaks. */
export function openProxy({ send, ...parts }: ProxyParts): Proxy {
  const underWay = new Map<string | number, AbortController>();
  const hub = openHub(parts);

  async function forward(line: string, request: Request): Promise<void> {
    const { id } = request;
    // Nobody waits for what comes of a notification.
    if (id === undefined) return void (await hub.ask(line, request, new AbortController().signal));
    const gone = new AbortController();
    underWay.set(id, gone);
    const answer = await hub.ask(line, request, gone.signal);
    underWay.delete(id);
    if (!gone.signal.aborted) send({ jsonrpc: "2.0", id, ...withListChanged(request, answer) });
  }

  return {
    async take(line) {
      if (line.trim() === "") return;
      const message = parse(line);
      const request = readRequest(message);
      if (!request) {
        // An answer to a question of ours: there are none.
        if (isJson(message) && ("result" in message || "error" in message)) return;
        const code = message === undefined ? RPC.parse : RPC.request;
        return send({ jsonrpc: "2.0", id: null, error: { code, message: "A line is one message of JSON-RPC." } });
      }
      const { method, id, params } = request;
      // It asks whether the bridge lives; the hub may be away.
      if (method === "ping" && id !== undefined && versionOf(request) === undefined)
        return send({ jsonrpc: "2.0", id, result: {} });
      if (method !== "notifications/cancelled") return forward(line, request);
      const { requestId } = params;
      if (typeof requestId === "string" || typeof requestId === "number") underWay.get(requestId)?.abort();
    },
    hubIsThere() {
      if (hub.isToolListDue()) send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    },
  };
}

/** The hub, or what the bridge says where it cannot be reached. */
function openHub({ connection, session, say }: Omit<ProxyParts, "send">) {
  let agreed: string | undefined;
  let owesTools = false;

  async function askHub(line: string, request: Request, signal: AbortSignal): Promise<Answer> {
    // A tool call shows that the session works; what the client asks by itself does not.
    const path = request.method === "tools/call" ? undefined : "bridge";
    const response = await reach({ ...connection, session: session(), path }, "/mcp", {
      method: "POST",
      headers: headersOf(request, agreed),
      body: line,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
    const text = await response.text();
    return request.id === undefined ? {} : answerIn(text, response.status, connection);
  }

  function agree({ method }: Request, answer: Answer): Answer {
    if (method === "initialize") agreed = agreedIn(answer) ?? agreed;
    return answer;
  }

  return {
    /** Never fails. */
    async ask(line: string, request: Request, signal: AbortSignal): Promise<Answer> {
      try {
        return agree(request, await askHub(line, request, signal));
      } catch (error) {
        const why = whyOf(error, connection);
        if (!signal.aborted) say(`${request.method}: ${why}`);
        owesTools ||= versionOf(request) === undefined && ["initialize", "tools/list"].includes(request.method);
        return agree(request, awayAnswer(request, why));
      }
    },
    /** Once after the client was told of no tools. */
    isToolListDue() {
      const owed = owesTools;
      owesTools = false;
      return owed;
    },
  };
}

function whyOf(error: unknown, { url }: Connection): string {
  if (error instanceof HubUnreachable) return error.message;
  return `The line to the Crewroom at ${url} was cut: ${error instanceof Error ? error.message : String(error)}.`;
}

/** A client of a handshake asks for the tools again when it is told to; that is needed where the hub was away at the start. */
function withListChanged({ method }: Request, answer: Answer): Answer {
  const { result } = answer;
  if (method !== "initialize" || !result) return answer;
  const capabilities = isJson(result["capabilities"]) ? result["capabilities"] : {};
  const tools = isJson(capabilities["tools"]) ? capabilities["tools"] : {};
  return { result: { ...result, capabilities: { ...capabilities, tools: { ...tools, listChanged: true } } } };
}

function agreedIn({ result }: Answer): string | undefined {
  const version = result?.["protocolVersion"];
  return typeof version === "string" ? version : undefined;
}

/** What the hub answered, without its number: the client's own goes back. */
function answerIn(text: string, status: number, { url }: Connection): Answer {
  const body = parse(text);
  if (isJson(body)) {
    const { result, error } = body;
    if (isJson(result)) return { result };
    if (isJson(error)) return { error: typeof error["code"] === "number" ? error : refusalOf(error) };
  }
  throw new HubUnreachable(`What answers at ${url} is not a Crewroom (HTTP ${status}).`);
}

/** A refusal of the hub before it read the message. */
function refusalOf({ code, message, next }: Json): Json {
  const words = [message, next].filter((part) => typeof part === "string").join(" ");
  return { code: RPC.refused, message: `${String(code)}: ${words}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
