import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { HubProcess } from "./hub-process.ts";
import { openModelStandIn, type Step } from "./model-stand-in.ts";
import pins from "./package.json" with { type: "json" };
import type { Report } from "./report.ts";
import { runOrThrow, runProgram } from "./run-program.ts";

/** The real Claude Code, not signed in anywhere, in a home of its own under `home`. It really connects when it lists. */
export function checkClaudeCode({ section, check, leaveOut }: Report, hub: HubProcess, home: string): Promise<void> {
  return section(`Claude Code, on ${hub.store}`, async () => {
    const binary = findClaude();
    if (!binary) return leaveOut("Claude Code", `it has no binary for ${process.platform}-${process.arch}`);
    const claude = (user: string, ...args: string[]) => runProgram(binary, args, inHome(join(home, user)));
    await check("is the pinned version", async () => {
      const { out } = await runOrThrow(binary, ["--version"], inHome(join(home, "anyone")));
      assert.equal(out.trim(), `${pins.devDependencies["@anthropic-ai/claude-code"]} (Claude Code)`);
    });

    const { token, setup } = await hub.addToken("cody", "claude");
    await check("claude mcp add, then claude mcp list shows the hub connected", async () => {
      await add(claude, "by-hand", hub, token);
      assert.match(await list(claude, "by-hand"), CONNECTED);
    });
    await check("claude mcp get shows where it is and that it is connected", async () => {
      const { out } = await claude("by-hand", "mcp", "get", "crewroom");
      assert.match(out, /Status: ✔ Connected/);
      assert(out.includes(`${hub.url}/mcp`), out);
    });
    await check("the command that token add prints, pasted, connects", async () => {
      const { env, cwd } = inHome(join(home, "pasted"));
      const path = [dirname(binary), env["PATH"]].join(delimiter);
      await runOrThrow("sh", ["-c", setup.lan.claude_cli], { env: { ...env, PATH: path }, cwd });
      assert.match(await list(claude, "pasted"), CONNECTED);
    });
    await check("two of them work: they hear the news, both claim a task, one wins, both read why", async () => {
      await workTogether(hub, binary, home);
    });
    await check("with a wrong token it is not connected, and is told why in the hub's words", async () => {
      await add(claude, "stranger", hub, "crw_agt_000000000000000000000000000000000000");
      assert.match(
        await list(claude, "stranger"),
        /^crewroom: .*Failed to connect.*The token is unknown, revoked or expired/m,
      );
    });
  });
}

const CONNECTED = /^crewroom: .*\/mcp \(HTTP\) - ✔ Connected$/m;

type Claude = (user: string, ...args: string[]) => ReturnType<typeof runProgram>;

async function add(claude: Claude, user: string, { url }: HubProcess, token: string) {
  const header = `Authorization: Bearer ${token}`;
  const args = ["mcp", "add", "--scope", "user", "--transport", "http", "crewroom", `${url}/mcp`, "--header", header];
  const { code, out, err } = await claude(user, ...args);
  assert.equal(code, 0, err + out);
}

async function list(claude: Claude, user: string): Promise<string> {
  const { code, out, err } = await claude(user, "mcp", "list");
  assert.equal(code, 0, err + out);
  return out;
}

/** What the stand-in for the model lets each of them do. */
const WORK: readonly Step[] = [
  { tool: "whats_new", input: {} },
  { tool: "claim_task", input: { task_id: 1 } },
  { tool: "post_message", input: { body: "Claimed, or told who has it." } },
  { tool: "claim_task", input: { task_id: 99 } },
];

/** Tools that come with their definitions; the others are found by their names. */
const ALWAYS_LOADED = new Set(["claim_task", "list_tasks", "post_message", "read_messages", "whats_new"]);

async function workTogether(hub: HubProcess, binary: string, home: string) {
  const chief = await hub.mint("claude-chief", "claude-work");
  await post(hub, chief, "create_task", { title: "Wire the lamp" });
  const [one, other] = await Promise.all(
    ["claude-one", "claude-two"].map(async (agent) =>
      work(hub, binary, join(home, agent), await hub.mint(agent, "claude-work")),
    ),
  );
  assert(one && other);
  for (const { offered, results } of [one, other]) {
    assert.deepEqual(new Set(offered), ALWAYS_LOADED);
    assert.equal(results.length, WORK.length);
    assert.match(results[0] ?? "", /Wire the lamp/);
    assert.match(results[2] ?? "", /"message_id":/);
    assert.match(results[3] ?? "", /^task_not_found: There is no task #99/);
  }
  const claims = [one, other].map(
    ({ results }) => JSON.parse(results[1] ?? "") as { claimed: boolean; holder?: string },
  );
  assert.deepEqual(new Set(claims.map(({ claimed }) => claimed)), new Set([true, false]));
  assert.match(claims.find(({ claimed }) => !claimed)?.holder ?? "", /^claude-(one|two)$/);
}

/** It waits for the hub's tools before it asks its model, on a slow machine as well. */
export const PATIENT = { MCP_CONNECTION_NONBLOCKING: "false", MCP_CONNECT_TIMEOUT_MS: "30000" };

/** One Claude Code with the hub and a stand-in for its model, until it says that it is done. */
async function work(hub: HubProcess, binary: string, home: string, token: string) {
  const model = await openModelStandIn("crewroom", WORK);
  const server = { type: "http", url: `${hub.url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  const config = JSON.stringify({ mcpServers: { crewroom: server } });
  const args = ["-p", "Work.", "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__crewroom"];
  const { env, cwd } = inHome(home);
  try {
    const { out } = await runOrThrow(binary, args, {
      env: { ...env, ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none is needed", ...PATIENT },
      cwd,
    });
    assert.match(out, /Done\./);
    return model;
  } finally {
    model.close();
  }
}

async function post({ url }: HubProcess, token: string, operation: string, input: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers, body: JSON.stringify(input) });
  assert.equal(response.status, 200);
}

/** The client that was installed for the checks; undefined where there is none for this machine. */
export function findClaude(): string | undefined {
  const folder = join(import.meta.dirname, "node_modules/@anthropic-ai");
  const file = process.platform === "win32" ? "claude.exe" : "claude";
  const libc = process.platform === "linux" && !glibc() ? "-musl" : "";
  const binary = join(folder, `claude-code-${process.platform}-${process.arch}${libc}`, file);
  return existsSync(binary) ? binary : undefined;
}

function glibc(): boolean {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }; // as Node documents it
  return header?.glibcVersionRuntime !== undefined;
}

/** Nothing of the machine's own Claude Code is seen, and nothing leaves the machine. */
export function inHome(home: string) {
  mkdirSync(home, { recursive: true });
  const kept = Object.entries(process.env).filter(([name]) => !/^(CLAUDE|ANTHROPIC|MCP|DISABLE_)/.test(name));
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Whatever it may still want of the world outside finds nobody.
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1,localhost",
  };
  return { env, cwd: home };
}
