import { SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { fail } from "../core/errors.ts";
import { JSON_HEADERS, type Reply } from "./exchange.ts";
import { callTool, lacksIdentity, type Surroundings, type ToolResult } from "./mcp-call.ts";
import { openPlainRequests, type PlainRequest } from "./mcp-plain.ts";
import { CACHE, serverInfo } from "./mcp-protocol.ts";
import type { ToolDefinition, ToolTable } from "./mcp-tools.ts";

/**
 * Answers the plain `tools/call` and `tools/list` without the SDK, word for word as the SDK would: mcp-direct.test.ts holds
 * the two side by side. Nothing when the request has to go through the SDK. Why: docs/decisions/0006-mcp-edge.md.
 */
export function openDirectWay(version: string, tools: ToolTable) {
  const readPlain = openPlainRequests();
  const write = answerWriter(version);
  return async (body: unknown, around: Surroundings): Promise<Reply | undefined> => {
    const { headers, caller } = around.ask;
    const plain = readPlain(body, headers);
    if (!plain) return undefined;
    if (!plain.call) return reply(write.list(plain, tools.listFor(caller.roles)), "tools/list", "ok");
    const { name, input, meta } = plain.call;
    const tool = tools.find(name, caller.roles);
    // What the person may be asked is put by the SDK.
    if (!tool || (tool.operation.asks && plain.era === "modern")) return undefined;
    if (lacksIdentity(around, tool, input)) throw fail("not_signed_in", { problem: `${name} needs a sign-in` });
    const result = await callTool(around, { tool, input, meta });
    return reply(write.result(plain, result), name, result.outcome);
  };
}

function reply(body: string, operation: string, outcome: string): Reply {
  return { status: 200, headers: JSON_HEADERS, body, logged: { operation, outcome } };
}

/** Writes the answers of both eras: the modern one stamps each with its kind and the server's name. */
function answerWriter(version: string) {
  const listed = new Map<readonly ToolDefinition[], string>();
  const stamp = `,"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverInfo(version) })}`;
  const { ttlMs, cacheScope } = CACHE["tools/list"];
  const kept = `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`;

  function answer({ era, id }: PlainRequest, members: string): string {
    return `{"result":{${members}${era === "modern" ? stamp : ""}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  return {
    list(plain: PlainRequest, tools: readonly ToolDefinition[]): string {
      const json = listed.get(tools) ?? JSON.stringify(tools);
      listed.set(tools, json);
      return answer(plain, `"tools":${json}${plain.era === "modern" ? kept : ""}`);
    },
    result(plain: PlainRequest, { text, outcome }: ToolResult): string {
      const failed = outcome === "ok" ? "" : ',"isError":true';
      return answer(plain, `"content":[{"type":"text","text":${JSON.stringify(text)}}]${failed}`);
    },
  };
}
