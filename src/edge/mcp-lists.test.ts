import { afterAll, describe, expect, it } from "vitest";
import { startTestMcp } from "../testkit/mcp.ts";

const mcp = await startTestMcp();
afterAll(() => mcp[Symbol.asyncDispose]());

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const call = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "read_greeting", arguments: {} },
});
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Posts one body and gives the status and the JSON-RPC error, if it is one. */
async function answerTo(body: unknown, version: string) {
  mcp.runs.clear();
  const response = await mcp.post(body, { "mcp-protocol-version": version });
  const { error } = (await response.json()) as { error?: { code: number; message: string } };
  // Nothing that is refused may have run.
  if (response.status >= 400) expect(mcp.runs.size).toBe(0);
  return { status: response.status, ...error };
}

describe("/mcp with a list of messages", () => {
  it("takes it from the revision that has them, and from no other", async () => {
    const list = [LIST, call("b"), { jsonrpc: "2.0", method: "notifications/initialized" }];

    const taken = await mcp.post(list, { "mcp-protocol-version": "2025-03-26" });
    const unnamed = await mcp.post(list);

    for (const response of [taken, unnamed]) {
      const answers = (await response.json()) as { id: unknown }[];
      expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, "b"]));
      expect(answers).toHaveLength(2);
    }
    expect(await answerTo(list, "2025-06-18")).toMatchObject({ status: 400, code: -32600 });
    const modern = [{ ...LIST, params: { _meta: MODERN } }];
    expect(await answerTo(modern, "2026-07-28")).toMatchObject({ status: 400, code: -32600 });
  });

  it.each(["2025-03-26", "2025-06-18", "2026-07-28"])(
    "refuses more than a hundred by their number, whatever they are, from %s",
    async (version) => {
      const hundred = Array.from({ length: 100 }, (_, id) => call(id));

      for (const list of [[...hundred, LIST], Array(101).fill("x"), Array(101).fill(1)]) {
        expect(await answerTo(list, version)).toEqual({
          status: 400,
          code: -32600,
          message: expect.stringContaining("a list of more than 100 messages"),
        });
      }
      expect((await answerTo(hundred, version)).status).toBe(version === "2025-03-26" ? 200 : 400);
    },
  );
});
