import { afterAll, describe, expect, it } from "vitest";
import { startTestMcp } from "../testkit/mcp.ts";

const mcp = await startTestMcp();
afterAll(() => mcp[Symbol.asyncDispose]());

const MODERN = { "mcp-protocol-version": "2026-07-28" };
const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const call = (name: string, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});
const modern = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params: { ...params, _meta: ENVELOPE },
});

/** Posts one body and gives the status and the JSON-RPC error's code, if it is one. */
async function answerTo(body: unknown, headers: Record<string, string> = {}): Promise<[number, number?]> {
  mcp.runs.clear();
  const response = await mcp.post(body, headers);
  const text = await response.text();
  const code = text === "" ? undefined : (JSON.parse(text) as { error?: { code: number } }).error?.code;
  // Nothing that is refused may have run.
  if (response.status >= 400) expect(mcp.runs.size).toBe(0);
  return code === undefined ? [response.status] : [response.status, code];
}

describe("/mcp as HTTP", () => {
  it.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])("refuses %s with 405 and says what is served", async (method) => {
    const response = await fetch(mcp.url, { method });

    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  it.each([
    undefined,
    "*/*",
    "application/json",
    "application/*;q=0.5",
    "text/event-stream, application/json",
    "APPLICATION/JSON",
  ])("answers JSON when Accept is %s", async (accept) => {
    const response = await mcp.post(LIST, { ...(accept !== undefined && { accept }) });

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    "text/html",
    "text/event-stream",
    "application/jsonp",
    "application/json;q=0",
    "application/json; q=0.0, text/html",
  ])("refuses Accept: %s with 406", async (accept) => {
    expect(await answerTo(LIST, { accept })).toEqual([406, -32000]);
  });

  it.each([
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "application/json", "content-encoding": "gzip" },
  ])("refuses the type %o with 415", async (headers) => {
    expect(await answerTo(JSON.stringify(LIST), headers)).toEqual([415, -32000]);
  });

  it("refuses more than 4 MiB with 413", async () => {
    expect(await answerTo(JSON.stringify({ ...LIST, params: { x: "a".repeat(4 * 1024 * 1024) } }))).toEqual([
      413, -32000,
    ]);
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "hello"],
    ["half a message", '{"jsonrpc":"2.0"'],
    ["something behind it", `${JSON.stringify(LIST)} x`],
    ["two messages", JSON.stringify(LIST).repeat(2)],
    ["a name twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}'],
    [
      "deep nesting",
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    ],
    ["a byte order mark", `\uFEFF${JSON.stringify(LIST)}`],
    ["bytes that are not UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["__proto__", '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{}}}'],
  ])("refuses %s with 400 and the code of a parse error", async (_, body) => {
    expect(await answerTo(body)).toEqual([400, -32700]);
  });
});

describe("/mcp as JSON-RPC", () => {
  it.each([
    ["no version", { id: 1, method: "tools/list" }],
    ["another version", { jsonrpc: "1.0", id: 1, method: "tools/list" }],
    ["an id that is null", { ...LIST, id: null }],
    ["an id that is an object", { ...LIST, id: {} }],
    ["an id with a fraction", { ...LIST, id: 1.5 }],
    ["an id of 10 KB", { ...LIST, id: "x".repeat(10_000) }],
    ["params that are a list", { ...LIST, params: [] }],
    ["params that are null", { ...LIST, params: null }],
    ["a text", '"hello"'],
    ["a number", "1"],
    ["null", "null"],
    ["an empty list", []],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error response", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }],
  ])("refuses %s with 400 and the code of a wrong request", async (_, body) => {
    expect(await answerTo(body)).toEqual([400, -32600]);
  });

  it("sends the id back as it came, text or number", async () => {
    for (const id of ["", "a-1", 'quo"te', 0, -5, Number.MAX_SAFE_INTEGER]) {
      expect(await (await mcp.post({ ...LIST, id })).json()).toMatchObject({ id });
    }
  });

  it("answers notifications with 202 and no body, and runs nothing for one that names a request's method", async () => {
    mcp.runs.clear();
    const answers = [
      await mcp.post({ jsonrpc: "2.0", method: "notifications/initialized" }),
      await mcp.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }),
      await mcp.post({ jsonrpc: "2.0", method: "tools/call", params: { name: "read_greeting" } }),
      await mcp.post(
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: ENVELOPE } },
        MODERN,
      ),
    ];

    for (const response of answers) expect([response.status, await response.text()]).toEqual([202, ""]);
    expect(mcp.runs.size).toBe(0);
  });

  it("answers two requests with the same id each for itself", async () => {
    const [list, greeting] = await Promise.all([mcp.post(LIST), mcp.post(call("read_greeting"))]);

    expect(await list.json()).toHaveProperty("result.tools");
    expect(await greeting.json()).toHaveProperty("result.content");
  });
});

describe("/mcp with the handshake", () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });

  it.each([
    ["2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-06-18"],
    ["2025-11-25", "2025-11-25"],
    ["2024-11-05", "2025-11-25"],
    ["2031-01-01", "2025-11-25"],
  ])("answers a client of %s with %s and no session", async (asked, given) => {
    const response = await mcp.post(initialize(asked));

    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await response.json()).toMatchObject({ result: { protocolVersion: given, capabilities: { tools: {} } } });
  });

  it("answers ping, and an unknown method without the 404 that would tell a client its session is gone", async () => {
    expect(await (await mcp.post({ ...LIST, method: "ping" })).json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await answerTo({ ...LIST, method: "no/such" })).toEqual([200, -32601]);
    expect(await answerTo({ ...LIST, method: "server/discover" })).toEqual([200, -32601]);
  });

  it("refuses a version that nobody speaks, unknown tools, prompts and resources, and foreign cursors", async () => {
    expect(await answerTo(LIST, { "mcp-protocol-version": "2019-01-01" })).toEqual([400, -32000]);
    expect(await answerTo(call("no_such"))).toEqual([200, -32602]);
    expect(await answerTo({ ...LIST, method: "tools/call", params: {} })).toEqual([200, -32602]);
    expect(await answerTo({ ...LIST, method: "prompts/get", params: { name: "no_such" } })).toEqual([200, -32602]);
    expect(await answerTo({ ...LIST, method: "resources/read", params: { uri: "crewroom://rooms/x/y" } })).toEqual([
      200, -32602,
    ]);
    expect(await answerTo({ ...LIST, params: { cursor: "x" } })).toEqual([200, -32602]);
  });
});

describe("/mcp in the revision 2026-07-28", () => {
  const headersFor = (method: string, name?: string) => ({
    ...MODERN,
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  });

  it("tells itself by server/discover", async () => {
    const response = await mcp.post(modern("server/discover"), headersFor("server/discover"));

    expect(await response.json()).toMatchObject({
      result: {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {}, prompts: {}, resources: {} },
        ttlMs: 300_000,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "crewroom", version: "1.2.3" } },
      },
    });
  });

  it("calls a tool whose name comes encoded in the header", async () => {
    const name = `=?base64?${Buffer.from("read_greeting").toString("base64")}?=`;

    expect(await answerTo(modern("tools/call", { name: "read_greeting" }), headersFor("tools/call", name))).toEqual([
      200,
    ]);
  });

  const READ = modern("tools/call", { name: "read_greeting", arguments: {} });
  it.each([
    ["another method in the header", READ, headersFor("tools/list", "read_greeting"), 400, -32020],
    ["another name in the header", READ, headersFor("tools/call", "write_greeting"), 400, -32020],
    [
      "another version in the header",
      READ,
      { ...headersFor("tools/call", "read_greeting"), "mcp-protocol-version": "2025-11-25" },
      400,
      -32020,
    ],
    ["no method header", READ, { ...MODERN, "mcp-name": "read_greeting" }, 400, -32020],
    ["no name header", READ, headersFor("tools/call"), 400, -32020],
    ["no version header", READ, { "mcp-method": "tools/call", "mcp-name": "read_greeting" }, 400, -32020],
    ["a bad sentinel", READ, headersFor("tools/call", "=?base64?!!?="), 400, -32020],
    [
      "a version that nobody speaks",
      { ...LIST, params: { _meta: { ...ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01" } } },
      { "mcp-protocol-version": "2031-01-01", "mcp-method": "tools/list" },
      400,
      -32022,
    ],
    ["no envelope", LIST, headersFor("tools/list"), 400, -32602],
    [
      "no capabilities",
      { ...LIST, params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } },
      headersFor("tools/list"),
      400,
      -32602,
    ],
    ["an unknown method", modern("no/such"), headersFor("no/such"), 404, -32601],
    ["a handshake", modern("initialize"), headersFor("initialize"), 404, -32601],
    ["an unknown tool", modern("tools/call", { name: "no_such" }), headersFor("tools/call", "no_such"), 200, -32602],
    [
      "an unknown prompt",
      modern("prompts/get", { name: "no_such" }),
      headersFor("prompts/get", "no_such"),
      200,
      -32602,
    ],
    [
      "an unknown resource",
      modern("resources/read", { uri: "x://y" }),
      headersFor("resources/read", "x://y"),
      200,
      -32602,
    ],
  ] as const)("answers %s as the revision says", async (_, body, headers, status, code) => {
    expect(await answerTo(body, headers)).toEqual([status, code]);
  });

  it("ends subscriptions/listen at once: nothing it could tell ever changes for a credential", async () => {
    const body = modern("subscriptions/listen", { notifications: { toolsListChanged: true } });

    const response = await mcp.post(body, headersFor("subscriptions/listen"));

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"resultType":"complete"');
  });
});
