import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openVisit } from "../src/testkit/oauth.ts";
import { findClaude, inHome } from "./claude-code.ts";
import { type HubProcess, startHubProcess } from "./hub-process.ts";
import type { Python } from "./python-client.ts";
import type { Report } from "./report.ts";
import { runProgram } from "./run-program.ts";

const PERSON = { organization: "main", user: "cora", password: "correct horse battery" };
const CONNECTED = /^crewroom: .*\/mcp \(HTTP\) - ✔ Connected$/m;

/**
 * The real Claude Code signs a person in by browser, as far as that goes without a model. It wants a terminal, which Python
 * has everywhere; the browser is played by a visitor who follows addresses and sends forms.
 */
export function checkClaudeLogin({ section, check, leaveOut }: Report, home: string, python: Python): Promise<void> {
  return section("Claude Code signs in by browser", async () => {
    const binary = findClaude();
    if (!binary) return leaveOut("Claude Code's sign-in", `it has no binary for ${process.platform}-${process.arch}`);
    if (!("path" in python)) return leaveOut("Claude Code's sign-in", "there is no Python to give it a terminal");
    for (const chatLogin of ["off", "on"]) {
      const hub = await startHubProcess(undefined, { CREWROOM_CHAT_LOGIN: chatLogin });
      try {
        await hub.addPerson(PERSON.user, PERSON.password);
        const place = inHome(join(home, `login-${chatLogin}`));
        const claude = (...args: string[]) => runProgram(binary, ["mcp", ...args], place);
        await checkSignIn({ check, hub, claude, chatLogin, place, login: [python.path, binary] });
      } finally {
        await hub.stop();
      }
    }
  });
}

interface SignIn {
  readonly check: Report["check"];
  readonly hub: HubProcess;
  readonly claude: (...args: string[]) => ReturnType<typeof runProgram>;
  /** Whether it is let in without a sign-in, as a guest. */
  readonly chatLogin: string;
  readonly place: ReturnType<typeof inHome>;
  readonly login: readonly [python: string, binary: string];
}

async function checkSignIn({ check, hub, claude, chatLogin, place, login }: SignIn) {
  const where = chatLogin === "on" ? ", where sign-in by tools is on" : "";
  await check(
    `claude mcp add without a token, then claude mcp list says ${chatLogin === "on" ? "connected" : "what to do"}`,
    async () => {
      const added = await claude("add", "--scope", "user", "--transport", "http", "crewroom", `${hub.url}/mcp`);
      assert.equal(added.code, 0, added.err + added.out);
      const { out } = await claude("list");
      assert.match(out, chatLogin === "on" ? CONNECTED : /^crewroom: .*Needs authentication$/m);
    },
  );
  await check(`claude mcp login --no-browser takes the address that the browser ended at${where}`, async () => {
    const said = await signIn(login, place);
    assert.match(said, /Authenticated with "crewroom"/);
  });
  await check(`claude mcp list shows the hub connected, with the token of that sign-in${where}`, async () => {
    assert.match((await claude("list")).out, CONNECTED);
    const token = storedToken(place.env);
    assert.match(token, /^crw_oat_[0-9A-Za-z]{36}$/);
    assert.equal(await whoIs(hub, token), PERSON.user);
  });
  await check(`claude mcp logout ends the sign-in at the hub${where}`, async () => {
    const token = storedToken(place.env);
    assert.equal((await claude("logout", "crewroom")).code, 0);
    assert.equal(await whoIs(hub, token), 401);
  });
}

/** How long (ms) a sign-in may take. */
const PATIENCE = 60_000;

/** It prints the address as a link, and then reads where the browser ended from its terminal. */
function linkIn(said: string): string | undefined {
  if (!said.includes("paste the redirect URL")) return undefined;
  return said.split("\u001b]8;;")[1]?.split(/[^\x21-\x7e]/)[0];
}

function signIn([python, binary]: SignIn["login"], { env, cwd }: SignIn["place"]): Promise<string> {
  const inTerminal = ["-c", "import pty, sys; pty.spawn(sys.argv[1:])"];
  const child = spawn(python, [...inTerminal, binary, "mcp", "login", "crewroom", "--no-browser"], { env, cwd });
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  let said = "";
  let isUnderWay = false;
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const link = isUnderWay ? undefined : linkIn(said);
      if (link === undefined) return;
      isUnderWay = true;
      browse(new URL(link)).then((end) => child.stdin.write(`${end}\r`), reject);
    });
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(said);
    });
  });
}

/** A person signs in before the page and lets the client in. Gives where the browser is sent. */
async function browse({ origin, pathname, search }: URL): Promise<string> {
  const visit = openVisit(origin, { token: "" });
  const first = await visit.get(pathname + search);
  const second = await visit.submit(first, "/login", { ...PERSON, next: first.path });
  assert(!(second instanceof URL), "the page that asks is not there");
  return (await visit.send(second, { decision: "allow", "hub:write": "yes" })).href;
}

interface Credentials {
  readonly mcpOAuth: Readonly<Record<string, { readonly accessToken: string }>>;
}

function storedToken({ CLAUDE_CONFIG_DIR: folder = "" }: NodeJS.ProcessEnv): string {
  const { mcpOAuth } = JSON.parse(readFileSync(join(folder, ".credentials.json"), "utf8")) as Credentials; // its own format
  return Object.values(mcpOAuth)[0]?.accessToken ?? "";
}

/** The person that a token stands for, or the status of the refusal. */
async function whoIs({ url }: HubProcess, token: string): Promise<string | number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/api/whoami`, { method: "POST", headers, body: "{}" });
  return answer.ok ? ((await answer.json()) as { user_id: string }).user_id : answer.status; // our own answer
}
