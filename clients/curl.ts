import assert from "node:assert/strict";
import type { HubProcess } from "./hub-process.ts";
import type { Report } from "./report.ts";
import { isThere, runProgram } from "./run-program.ts";

/** curl as found on the machine: what somebody types who wants to see the wire. */
export function checkCurl({ section, check, leaveOut }: Report, hub: HubProcess): Promise<void> {
  return section(`curl, on ${hub.store}`, async () => {
    if (!(await isThere("curl"))) return leaveOut("curl", "there is no curl on this machine");
    const token = await hub.mint("cara", "curl");
    const ask: Ask = (path, ...args) => curl(hub.url, token, path, args);
    await checkHealth(check, ask);
    await checkMcp(check, ask);
    await checkApi(check, ask);
    await checkStream(check, ask);
    await checkGate(check, ask, hub);
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly exit: number | null;
}

type Ask = (path: string, ...args: string[]) => Promise<Answer>;
type Check = Report["check"];

async function checkHealth(check: Check, ask: Ask) {
  await check("/health, /healthz and /readyz answer, to HEAD with the headers alone", async () => {
    const bodies = { "/health": '{"status":"ok"}', "/healthz": "ok", "/readyz": "ready" };
    for (const [path, body] of Object.entries(bodies)) {
      const got = await ask(path);
      assert.deepEqual([got.status, got.text], [200, body]);
      const head = await ask(path, "--head");
      assert.deepEqual([head.status, head.text, head.headers.get("content-length")], [200, "", String(body.length)]);
    }
  });
}

/** As sent by curl: any type, none, JSON, and what the official clients send. */
const ACCEPTS = ["Accept: */*", "Accept:", "Accept: application/json", "Accept: application/json, text/event-stream"];

async function checkMcp(check: Check, ask: Ask) {
  for (const accept of ACCEPTS) {
    for (const version of [undefined, "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
      await check(`/mcp answers JSON with "${accept}" and ${version ?? "no version"}`, async () => {
        const answer = await ask("/mcp", "--header", accept, ...post(toolCall(version)), ...versionHeaders(version));
        assert.equal(answer.status, 200, answer.text);
        assert.match(answer.headers.get("content-type") ?? "", /^application\/json/);
        assert.equal(JSON.parse(JSON.parse(answer.text).result.content[0].text).you_are, "cara");
      });
    }
  }
  await check("/mcp opens with initialize and takes notifications", async () => {
    const clientInfo = { name: "curl", version: "1" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    const opened = await ask("/mcp", ...post({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    assert.deepEqual([opened.status, JSON.parse(opened.text).result.protocolVersion], [200, "2025-06-18"]);
    const noted = await ask("/mcp", ...post({ jsonrpc: "2.0", method: "notifications/initialized" }));
    assert.deepEqual([noted.status, noted.text], [202, ""]);
  });
  await check(
    "/mcp says what to do about GET, HEAD, DELETE, a form's content type and an Accept without JSON",
    async () => {
      for (const method of ["GET", "DELETE"]) {
        const answer = await ask("/mcp", "--request", method);
        assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"]);
      }
      const head = await ask("/mcp", "--head");
      assert.deepEqual([head.status, head.headers.get("allow"), head.text], [405, "POST", ""]);
      const form = await ask("/mcp", "--data", JSON.stringify(toolCall(undefined)));
      assert.equal(form.status, 415);
      assert.match(form.text, /application\/json/);
      const plain = await ask("/mcp", "--header", "Accept: text/plain", ...post(toolCall(undefined)));
      assert.equal(plain.status, 406);
    },
  );
}

function toolCall(version: string | undefined) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
  };
  const params = { name: "list_rooms", arguments: {}, ...(version === "2026-07-28" && { _meta: meta }) };
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params };
}

function versionHeaders(version: string | undefined): string[] {
  if (version === undefined) return [];
  const named = ["--header", "Mcp-Method: tools/call", "--header", "Mcp-Name: list_rooms"];
  return ["--header", `MCP-Protocol-Version: ${version}`, ...(version === "2026-07-28" ? named : [])];
}

async function checkApi(check: Check, ask: Ask) {
  await check("/api runs an operation, and a query by GET with parameters", async () => {
    const posted = await ask("/api/post_message", ...post({ body: "from a shell" }));
    assert.deepEqual([posted.status, JSON.parse(posted.text).message_id], [200, 1]);
    const read = await ask("/api/read_messages?room=curl&limit=1");
    assert.deepEqual([read.status, JSON.parse(read.text).messages[0].body], [200, "from a shell"]);
    const head = await ask("/api/read_messages?room=curl", "--head");
    assert.deepEqual([head.status, head.text], [200, ""]);
    const news = await ask("/v1/whats_new?room=curl", "--head");
    assert.deepEqual([news.status, news.text], [200, ""]);
  });
  await check("a key in the header makes a repeated call act once", async () => {
    const send = () => ask("/api/post_message", "--header", "Idempotency-Key: shell-1", ...post({ body: "once" }));
    const [first, second] = [await send(), await send()];
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
  });
  await check("what is wrong is said in one sentence with the next step", async () => {
    const form = await ask("/api/post_message", "--data", '{"body":"x"}');
    assert.equal(form.status, 415);
    assert.match(form.text, /application\/json/);
    const cases = [
      [await ask("/api/post_message", ...post("{")), 400, "not_json"],
      [await ask("/api/post_message", ...post({ body: "" })), 400, "bad_input"],
      [await ask("/api/get_task", ...post({ task_id: 999 })), 404, "task_not_found"],
      [await ask("/api/no_such_thing", ...post({})), 404, "not_found"],
      [await ask("/api/post_message"), 405, "method_not_allowed"],
      [await ask("/messages"), 410, "gone"],
    ] as const;
    for (const [answer, status, code] of cases) {
      const { error } = JSON.parse(answer.text);
      assert.deepEqual([answer.status, error.code], [status, code]);
      assert(error.message && error.next && error.trace, answer.text);
    }
  });
}

async function checkStream(check: Check, ask: Ask) {
  await check("/v1/stream begins at once with numbered frames, and resumes behind the last", async () => {
    const { status, headers, text, exit } = await ask("/v1/stream?after=all", "--no-buffer", "--max-time", "2");
    assert.deepEqual([status, headers.get("content-type")], [200, "text/event-stream"]);
    assert.equal(exit, 28, "it ended before it was cut off");
    const ids = [...text.matchAll(/^id: ?(.+)$/gm)].map((match) => match[1] ?? "");
    assert.match(text, /^event: chat$/m);
    assert(ids.length > 0 && text.includes("from a shell"), text);
    const resumed = await ask("/v1/stream", "--max-time", "1", "--header", `Last-Event-ID: ${ids.at(-1)}`);
    assert(!resumed.text.includes("from a shell"), "what was seen came again");
  });
}

async function checkGate(check: Check, ask: Ask, hub: HubProcess) {
  await check("no token, a wrong one and one in the address get 401 with WWW-Authenticate", async () => {
    const answers = [
      await ask("/api/list_rooms", "--header", "Authorization:"),
      // Through a proxy: from this machine itself guests are let in.
      await ask(
        "/mcp",
        "--header",
        "Authorization:",
        "--header",
        "X-Real-IP: 203.0.113.9",
        ...post(toolCall(undefined)),
      ),
      await ask("/api/list_rooms", "--header", "Authorization: Bearer crw_agt_wrong"),
      await curl(hub.url, undefined, "/api/list_rooms?token=x", []),
    ];
    for (const { status, headers } of answers) {
      assert.equal(status, 401);
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  });
  await check("a foreign Host gets 421 and a foreign Origin 403", async () => {
    for (const path of ["/mcp", "/api/list_rooms"]) {
      const data = path === "/mcp" ? post(toolCall(undefined)) : [];
      assert.equal((await ask(path, "--header", "Host: evil.example", ...data)).status, 421);
      assert.equal((await ask(path, "--header", "Origin: https://evil.example", ...data)).status, 403);
    }
  });
}

function post(body: unknown): string[] {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return ["--header", "Content-Type: application/json", "--data-binary", text];
}

/** Runs curl; an Authorization header among the arguments replaces the usual one. */
async function curl(url: string, token: string | undefined, path: string, args: readonly string[]): Promise<Answer> {
  const own = token === undefined || args.some((arg) => arg.startsWith("Authorization:"));
  const sign = own ? [] : ["--header", `Authorization: Bearer ${token}`];
  const all = ["--silent", "--show-error", "--include", "--noproxy", "*", ...sign, ...args, `${url}${path}`];
  const { code, out, err } = await runProgram("curl", all);
  const end = out.indexOf("\r\n\r\n");
  if (end < 0) throw new Error(`curl ${args.join(" ")} ${path} ended with ${code}: ${err}`);
  const [first = "", ...lines] = out.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(first.split(" ")[1]), headers, text: out.slice(end + 4), exit: code };
}
