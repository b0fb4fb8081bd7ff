import { SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { callTool, type Surroundings, type ToolResult } from "./mcp-call.ts";
import { openPlainRequests, type PlainRequest } from "./mcp-plain.ts";
import { CACHE, serverInfo } from "./mcp-protocol.ts";
import type { ToolDefinition, ToolTable } from "./mcp-tools.ts";

/**
 * Answers the plain `tools/call` and `tools/list` without the SDK, word for word as the SDK would: mcp-direct.test.ts holds
 * the two side by side. Gives the whole answer as JSON, or nothing when the request has to go through the SDK.
 */
export function openDirectWay(version: string, tools: ToolTable) {
  const readPlain = openPlainRequests();
  const write = answerWriter(version);
  return async (body: unknown, around: Surroundings): Promise<string | undefined> => {
    const { headers, caller } = around.ask;
    const plain = readPlain(body, headers);
    if (!plain) return undefined;
    if (!plain.call) return write.list(plain, tools.listFor(caller.roles));
    const { name, input, meta } = plain.call;
    const tool = tools.find(name);
    return tool && write.result(plain, await callTool(around, { tool, input, meta }));
  };
}

function answerWriter(version: string) {
  const listed = new Map<readonly ToolDefinition[], string>();
  const stamp = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverInfo(version) })}`;
  const { ttlMs, cacheScope } = CACHE["tools/list"];

  function answer({ era, id }: PlainRequest, members: string, modernMembers = ""): string {
    const ending = era === "modern" ? `${modernMembers},${stamp}` : "";
    return `{"result":{${members}${ending}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  }

  return {
    list(plain: PlainRequest, tools: readonly ToolDefinition[]): string {
      const json = listed.get(tools) ?? JSON.stringify(tools);
      listed.set(tools, json);
      return answer(plain, `"tools":${json}`, `,"ttlMs":${ttlMs},"cacheScope":"${cacheScope}"`);
    },
    result(plain: PlainRequest, { text, isError }: ToolResult): string {
      return answer(
        plain,
        `"content":[{"type":"text","text":${JSON.stringify(text)}}]${isError ? ',"isError":true' : ""}`,
      );
    },
  };
}
