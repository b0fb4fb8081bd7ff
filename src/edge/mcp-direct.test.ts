import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { startTestMcp } from "../testkit/mcp.ts";

const mcp = await startTestMcp();
afterAll(() => mcp[Symbol.asyncDispose]());

/** A request as a client would send it, in parts that can be spoiled one by one. */
interface Parts {
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};
const CLIENT = { "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" } };

function modern(method: string, params: Record<string, unknown> = {}, name?: string): Parts {
  return {
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    },
    body: { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: { ...META, ...CLIENT } } },
  };
}
function handshake(method: string, params?: Record<string, unknown>): Parts {
  return {
    headers: { "mcp-protocol-version": "2025-06-18" },
    body: { jsonrpc: "2.0", id: "a", method, ...(params && { params }) },
  };
}

function enveloped(meta: Record<string, unknown>): Parts {
  const { headers, body } = modern("tools/list");
  return { headers, body: { ...body, params: { _meta: meta } } };
}

const READ = { name: "read_greeting", arguments: { times: 2 } };
const PLAIN: Record<string, Parts> = {
  "a call, modern": modern("tools/call", READ, "read_greeting"),
  "a call without arguments, modern": modern("tools/call", { name: "read_greeting" }, "read_greeting"),
  "a refused call, modern": modern("tools/call", { name: "read_greeting", arguments: { volume: 1 } }, "read_greeting"),
  "the list, modern": modern("tools/list"),
  "a call, handshake": handshake("tools/call", READ),
  "a call with a progress token, handshake": handshake("tools/call", {
    ...READ,
    _meta: { progressToken: 3, "claudecode/toolUseId": "t1" },
  }),
  "a refused call, handshake": handshake("tools/call", { name: "read_greeting", arguments: { volume: 1 } }),
  "the list, handshake": handshake("tools/list"),
  "the list with empty params, handshake": handshake("tools/list", {}),
  "a call without a version": { ...handshake("tools/call", READ), headers: {} },
};

const UNUSUAL: Record<string, Parts> = {
  "an unknown tool": handshake("tools/call", { name: "no_such_tool" }),
  "a cursor": handshake("tools/list", { cursor: "x" }),
  "another method": handshake("prompts/list"),
  "arguments that are no object": handshake("tools/call", { name: "read_greeting", arguments: [] }),
  "an odd progress token": handshake("tools/call", { ...READ, _meta: { progressToken: 1.5 } }),
  "a _meta that is null": handshake("tools/call", { ...READ, _meta: null }),
  "a claim in the handshake era": handshake("tools/call", { ...READ, _meta: META }),
  "no name header": modern("tools/call", READ),
  "another name in the header": modern("tools/call", READ, "write_greeting"),
  "capabilities of the wrong form": enveloped({ ...META, "io.modelcontextprotocol/clientCapabilities": 5 }),
  "no capabilities": enveloped({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
  "answers to questions never asked": modern("tools/call", { ...READ, inputResponses: {} }, "read_greeting"),
};

describe("the direct way of /mcp", () => {
  it.each(Object.entries(PLAIN))("answers %s word for word as the SDK does", async (_, { headers, body }) => {
    const { direct, sdk } = await mcp.bothWays(body, headers);

    expect(sdk.status).toBe(200);
    expect(direct).toEqual(sdk.body);
  });

  it.each(Object.entries(UNUSUAL))("leaves %s to the SDK", async (_, { headers, body }) => {
    expect((await mcp.bothWays(body, headers)).direct).toBeUndefined();
  });

  it("does not take null for what is not there, though it knows the envelope without it", async () => {
    const known = enveloped(META);
    const spoiled = enveloped({ ...META, "io.modelcontextprotocol/clientInfo": null });

    expect((await mcp.bothWays(known.body, known.headers)).direct).toBeDefined();
    expect((await mcp.bothWays(spoiled.body, spoiled.headers)).direct).toBeUndefined();
  });

  it("never answers what the SDK would refuse, nor otherwise than it", async () => {
    let answered = 0;

    await fc.assert(
      fc.asyncProperty(spoiled, async ({ headers, body }) => {
        const { direct, sdk } = await mcp.bothWays(body, headers);
        if (direct === undefined) return;
        answered += 1;
        expect(sdk.status).toBe(200);
        expect(direct).toEqual(sdk.body);
      }),
      { numRuns: 500 },
    );
    expect(answered).toBeGreaterThan(40);
  });
});

const odd = fc.constantFrom<unknown>(
  null,
  0,
  1.5,
  "",
  "x",
  "2.0",
  "2026-07-28",
  "2025-11-25",
  [],
  {},
  { a: 1 },
  true,
  "tools/call",
  "tools/list",
  "read_greeting",
);
const oddHeader = fc.constantFrom(
  "",
  "x",
  " tools/call",
  "tools/list",
  "2026-07-28",
  "2025-03-26",
  "2024-11-05",
  "read_greeting",
  "=?base64?cmVhZF9ncmVldGluZw==?=",
);

/** Plain requests with up to two places removed, replaced or added. */
const spoiled: fc.Arbitrary<Parts> = fc
  .tuple(
    fc.constantFrom(...Object.values(PLAIN)),
    fc.array(
      fc.oneof(
        fc.record({ at: fc.constantFrom("jsonrpc", "id", "method", "params", "result", "extra"), to: odd }),
        fc.record({
          at: fc.constantFrom(
            "params.name",
            "params.arguments",
            "params._meta",
            "params.cursor",
            "params.task",
            "params.requestState",
          ),
          to: odd,
        }),
        fc.record({
          at: fc.constantFrom(
            ...Object.keys({ ...META, ...CLIENT }).map((key) => `params._meta.${key}`),
            "params._meta.progressToken",
            "params._meta.x",
          ),
          to: odd,
        }),
        fc.record({ at: fc.constantFrom("mcp-protocol-version", "mcp-method", "mcp-name"), to: oddHeader }),
      ),
      { maxLength: 2 },
    ),
    fc.boolean(),
  )
  .map(([{ headers, body }, changes, remove]) => {
    const changed = structuredClone({ headers, body });
    for (const { at, to: shared } of changes) {
      // The same object put in two places, one inside the other, would be a circle.
      const to = structuredClone(shared);
      if (at.startsWith("mcp-")) put(changed.headers, [at], remove ? undefined : to);
      else put(changed.body, splitPath(at), remove ? undefined : to);
    }
    return changed;
  });

function splitPath(path: string): string[] {
  const [first = "", second, ...rest] = path.split(".");
  return second === undefined ? [first] : rest.length === 0 ? [first, second] : [first, second, rest.join(".")];
}

function put(target: unknown, [key = "", ...rest]: string[], value: unknown): void {
  if (typeof target !== "object" || target === null) return;
  const members = target as Record<string, unknown>; // an object, and only its own members are touched
  if (rest.length > 0) return put(members[key], rest, value);
  if (value === undefined) delete members[key];
  else members[key] = value;
}
