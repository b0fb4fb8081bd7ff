import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A tool call that the model is to make. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Plays the model that a coding agent asks: calls the tools it was told to, one after the other, then says it is done. */
export interface ModelStandIn {
  readonly url: string;
  /** The hub's tools whose definitions came with the first ask; the others a model sees by name only. */
  readonly offered: readonly string[];
  /** What each call brought, as the model gets to read it. */
  readonly results: readonly string[];
  /** All that the model got to read, ask by ask: the texts of the conversation. Asks without tools, as for a title, are left out. */
  readonly heard: readonly string[];
  close(): void;
}

/** What the model does: one thing after the other, or as it sees by what it read and what its calls brought. */
export type Script = readonly Step[] | ((heard: string, results: readonly string[]) => Step | undefined);

/** The parts of an ask that are looked at here. */
interface Ask {
  readonly model: string;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: string | readonly Content[] }[];
}

interface Content {
  readonly type: string;
  readonly content?: string | readonly { readonly text?: string }[];
}

/**
 * Listens on loopback only. The script begins with the first ask that offers a tool of the script's server.
 *
 * @param server  its MCP server's name; "" for the tools of the client itself.
 * @param meanwhile  awaited before each answer, with the number of the ask and what was read.
 */
export async function openModelStandIn(
  server: string,
  script: Script,
  meanwhile: (ask: number, heard: string) => Promise<unknown> = async () => undefined,
): Promise<ModelStandIn> {
  const offered: string[] = [];
  const results: string[] = [];
  const heard: string[] = [];
  const prefix = server === "" ? "" : `mcp__${server}__`;

  async function play({ model, system, tools = [], messages }: Ask, outgoing: ServerResponse) {
    const names = tools.map((tool) => tool.name).filter((name) => name.startsWith(prefix));
    if (offered.length === 0) offered.push(...names.map((name) => name.slice(prefix.length)));
    const brought = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.filter(isResult)));
    results.splice(0, results.length, ...brought.map(textOf));
    const read = textsIn([system, messages]);
    if (tools.length > 0) await meanwhile(heard.push(read), read);
    const next = typeof script === "function" ? script(read, results) : script[brought.length];
    const step = names.length === 0 ? undefined : next;
    answer(outgoing, model, step && { ...step, tool: prefix + step.tool, id: `toolu_${brought.length}` });
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse) {
    const body = await text(incoming);
    const isAsk = /^\/v1\/messages(\?|$)/.test(incoming.url ?? "");
    if (isAsk)
      await play(JSON.parse(body) as Ask, outgoing); // the real client's own format
    else outgoing.end("{}");
  }

  const http = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo; // it listens on an address, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    offered,
    results,
    heard,
    close() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** Every text in a value, wherever it stands, each on lines of its own. */
function textsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(textsIn).join("\n");
}

function isResult({ type }: Content): boolean {
  return type === "tool_result";
}

function textOf({ content = "" }: Content): string {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("");
}

/** One streamed message: a tool call, or the word that all is done. */
function answer(outgoing: ServerResponse, model: string, call: (Step & { readonly id: string }) | undefined) {
  const send = (type: string, data: object) =>
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const empty = { id: "msg", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
  const block = call ? { type: "tool_use", id: call.id, name: call.tool, input: {} } : { type: "text", text: "" };
  const delta = call
    ? { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
    : { type: "text_delta", text: "Done." };

  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  send("message_start", { message: empty });
  send("content_block_start", { index: 0, content_block: block });
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason: call ? "tool_use" : "end_turn" }, usage });
  send("message_stop", {});
  outgoing.end();
}
