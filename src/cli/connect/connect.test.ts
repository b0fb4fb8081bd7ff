import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import type { Ended } from "../../testkit/command.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";

/** The client as the hub hands it out. */
const CLI = fileURLToPath(new URL("../../../dist/crewroom-cli.mjs", import.meta.url));

/** A machine of a user, with a home of its own. */
function openMachine({ url }: Pick<TestHub, "url">) {
  const home = mkdtempSync(join(tmpdir(), "crewroom-home-"));
  interface How {
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
  }
  async function run(args: readonly string[], { input = "", env = {}, cwd }: How = {}): Promise<Ended> {
    const { PATH = "" } = process.env;
    const own = { PATH, HOME: home, USERPROFILE: home, CREWROOM_URL: url, ...env };
    const child = spawn(process.execPath, [CLI, ...(args[0] === "call" ? [] : ["connect"]), ...args], {
      env: own,
      cwd,
    });
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    child.stdin.on("error", () => undefined); // it may end without reading
    child.stdin.end(input);
    const [code] = (await once(child, "close")) as [number | null]; // the event's first argument
    return { code, ...said };
  }
  return {
    home,
    run,
    /** With `--json`; the exit code is to be 0. */
    async connect(token: string, ...args: string[]): Promise<Value> {
      const { code, out, err } = await run(["--token-file", "-", "--json", ...args], { input: token });
      expect([code, err]).toEqual([0, ""]);
      return JSON.parse(out) as Value; // one object, by --json
    },
    read: (file: string) => readFileSync(join(home, file), "utf8"),
    json: (file: string) => JSON.parse(readFileSync(join(home, file), "utf8")) as Value,
    write(file: string, text: string) {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), text);
    },
    mode: (file: string) => statSync(join(home, file)).mode & 0o777,
    /** Every file of the home with its text. */
    files: () =>
      Object.fromEntries(
        readdirSync(home, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((file) => [file.slice(home.length + 1), readFileSync(file, "utf8")]),
      ),
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  };
}

function withCredentials({ home }: { readonly home: string }, program: string): string[] {
  return [join(home, `.crewroom/crewroom-${program}.mjs`), "--credentials", join(home, ".crewroom/credentials.json")];
}

const SETTINGS = `{
    "model": "opus",
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
}
`;
const STATE = '{"numStartups": 7, "mcpServers": {"other": {"type": "stdio", "command": "x"}}}';

onEachStore("connect", (start) => {
  test("sets Claude Code up and proves it, keeps the secret to its user, does nothing the second time, and takes all of it out", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    machine.write(".claude/settings.json", SETTINGS);
    machine.write(".claude.json", STATE);
    const before = machine.files();

    const first = await machine.connect(hub.token("box2"), "--allow-read-tools");
    const after = machine.files();
    const again = await machine.run(["--json"]);
    const settings = machine.json(".claude/settings.json");

    expect(first).toMatchObject({ ok: true, agent: "box2", organization: "main", room: "lobby", clients: ["claude"] });
    expect(first["proofs"].map(({ step, ok }: Value) => [step, ok])).toEqual([
      ["token", true],
      ["mcp", true],
      ["hook", true],
    ]);
    expect(settings["model"]).toBe("opus");
    expect(settings["hooks"]["Stop"][0]).toEqual({ hooks: [{ type: "command", command: "true" }] });
    expect(settings["hooks"]["SessionEnd"]).toEqual([
      {
        hooks: [{ type: "command", command: "node", args: withCredentials(machine, "hook"), timeout: 1 }],
      },
    ]);
    expect(settings["permissions"]["allow"]).toEqual(
      expect.arrayContaining(["Bash(ls:*)", "mcp__crewroom__whats_new", "mcp__crewroom__list_tasks"]),
    );
    expect(settings["permissions"]["allow"].join()).not.toMatch(/post_message|claim|update|\*$/);
    expect(machine.json(".claude.json")).toEqual({
      ...JSON.parse(STATE),
      mcpServers: {
        other: { type: "stdio", command: "x" },
        crewroom: { type: "stdio", command: "node", args: withCredentials(machine, "bridge"), alwaysLoad: true },
      },
    });
    const secret = Object.entries(after).filter(([, text]) => text.includes(hub.token("box2")));
    expect(secret.map(([file]) => [file, machine.mode(file)])).toEqual([[".crewroom/credentials.json", 0o600]]);
    expect([again.code, JSON.parse(again.out).changed, machine.files()]).toEqual([0, [], after]);

    const { code } = await machine.run(["--undo"]);
    expect([code, machine.files()]).toEqual([0, before]);
    expect((await machine.run(["--undo"])).out).toBe("There is nothing of connect here.\n");
    expect((await hub.eventsOf("lobby")).filter(({ actor }) => actor === "box2")).toEqual([]);
  });

  test("gives every other client its own files, and each hook is tried in its own form", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    machine.write(".codex/config.toml", 'model = "x"');
    machine.write(".gemini/settings.json", '{\n  // mine\n  "theme": "dark",\n}\n');
    const before = machine.files();
    const clients = ["codex", "gemini", "cursor", "opencode"];

    const made = await machine.connect(hub.token("box2"), ...clients.flatMap((client) => ["--client", client]));

    const own = join(machine.home, ".crewroom");
    const line = (client: string) =>
      `node ${own}/crewroom-hook.mjs --client ${client} --credentials ${own}/credentials.json`;
    const server = { url: `${hub.url}/mcp`, headers: { Authorization: `Bearer ${hub.token("box2")}` } };
    expect(made["proofs"].map(({ says, ok }: Value) => [says.split(" ")[1], ok]).slice(2)).toEqual(
      clients.map((client) => [client, true]),
    );
    expect(machine.json(".codex/hooks.json")["hooks"]["Stop"]).toEqual([
      { hooks: [{ type: "command", command: line("codex"), timeout: 15 }] },
    ]);
    expect(machine.read(".codex/config.toml")).toBe(`model = "x"
# crewroom: made by connect, taken out by connect --undo
[mcp_servers.crewroom]
command = "node"
args = ["${own}/crewroom-bridge.mjs","--client","codex","--credentials","${own}/credentials.json"]
# crewroom: end
`);
    const gemini = machine.read(".gemini/settings.json");
    expect(gemini).toContain("  // mine\n");
    const read = JSON.parse(gemini.replace("  // mine\n", "").replace(/,\s*}\s*$/, "}")) as Value;
    expect(read["mcpServers"]).toEqual({ crewroom: { httpUrl: server.url, headers: server.headers } });
    expect(read["hooks"]["AfterAgent"]).toEqual([
      { hooks: [{ type: "command", name: "crewroom", command: line("gemini"), timeout: 15_000 }] },
    ]);
    expect(machine.json(".cursor/hooks.json")).toEqual({
      version: 1,
      hooks: Object.fromEntries(
        ["sessionStart", "beforeSubmitPrompt", "postToolUse", "stop", "sessionEnd"].map((event) => [
          event,
          [{ command: line("cursor"), timeout: 15 }],
        ]),
      ),
    });
    expect(machine.json(".cursor/mcp.json")).toEqual({ mcpServers: { crewroom: server } });
    expect(machine.json(".config/opencode/opencode.json")).toEqual({
      mcp: { crewroom: { type: "remote", ...server, enabled: true } },
    });
    expect((await machine.run(["--undo", "--json"])).code).toBe(0);
    expect(machine.files()).toEqual(before);
  });

  test("sets up one project alone, for this user, with no secret in its folder", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    const project = join(machine.home, "work/project");
    machine.write("work/project/README.md", "mine");
    machine.write(".claude.json", STATE);
    const before = machine.files();
    const env = { CREWROOM_TOKEN: hub.token("box2") };
    const inProject = (...args: string[]) => machine.run(["--project", "--json", ...args], { env, cwd: project });

    const { code } = await inProject();
    const files = machine.files();
    const again = await machine.run(["--project"], { env, cwd: project });

    expect(code).toBe(0);
    expect(again.out).toMatch(/Nothing had to be changed[^]*connect --undo --project in this folder takes it out/);
    const { projects, ...others } = machine.json(".claude.json");
    const server = projects[project].mcpServers.crewroom;
    expect(others).toEqual(JSON.parse(STATE));
    expect(server).toMatchObject({ type: "stdio", command: "node" });
    expect(server.args[2]).toContain("/.crewroom/project-");
    const own = Object.entries(files).filter(([file]) => file.startsWith("work/project/"));
    expect(own.map(([file]) => file)).toEqual(["work/project/README.md", "work/project/.claude/settings.local.json"]);
    const secret = Object.entries(files).filter(([, text]) => text.includes(hub.token("box2")));
    expect(secret.map(([file]) => join(machine.home, file))).toEqual([server.args[2]]);
    const hooks = machine.json("work/project/.claude/settings.local.json")["hooks"];
    expect(hooks["Stop"][0].hooks[0].args.slice(1)).toEqual(["--credentials", server.args[2]]);
    expect((await inProject("--client", "codex")).code).toBe(2);
    expect((await inProject("--undo")).code).toBe(0);
    expect(machine.files()).toEqual(before);
  });

  test("says what failed by its exit code and in a sentence, and has changed nothing then", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    machine.write(".claude/settings.json", '{"hooks": {},\n oops}');
    machine.write(".codex/config.toml", "");
    const before = machine.files();
    const good = { input: hub.token("box2") };
    const token = ["--token-file", "-"];

    const failed = [
      await machine.run([...token], { input: "crw_agt_000000000000000000000000000000000000" }),
      await machine.run([...token], { ...good, env: { CREWROOM_URL: "http://127.0.0.1:9" } }),
      await machine.run([...token], good),
      await machine.run([...token, "--client", "codex", "--room", "nowhere"], good),
      await machine.run([]),
      await machine.run(["--client", "emacs"]),
    ];

    expect(failed.map(({ code }) => code)).toEqual([3, 7, 2, 2, 2, 2]);
    expect(failed[2]?.err).toContain(
      `${machine.home}/.claude/settings.json cannot be changed: it is not JSON from line 2 on`,
    );
    expect(failed[3]?.err).toContain("box2 may not enter a room nowhere");
    expect(failed[4]?.err).toContain(`${hub.url}/connect`);
    expect(machine.files()).toEqual(before);
  });

  test("names the part that does not work, and ends with 2; what the plugin brings it does not bring again", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    const input = hub.token("box2");

    const { code, out } = await machine.run(["--token-file", "-"], { input, env: { PATH: "/nowhere" } });
    machine.write(".claude/settings.json", '{"enabledPlugins": {"crewroom@crewroom": true}}');
    const beside = await machine.run(["--token-file", "-"], { input });

    expect(code).toBe(2);
    expect(out).toMatch(/^ok {4}mcp/m);
    expect(out).toMatch(/^fail {2}hook {3}the hook does not work: node cannot be started/m);
    expect([beside.code, beside.err]).toEqual([2, expect.stringContaining("plugin crewroom@crewroom is on")]);
  });

  test("another token takes the old one's place everywhere, and a token is sent to no other hub than its own", async () => {
    await using hub = await start();
    using machine = openMachine(hub);
    await machine.connect(hub.token("box2"), "--allow-read-tools", "--client", "claude", "--client", "cursor");
    const first = machine.files();

    await machine.connect(hub.token("box1"), "--client", "claude", "--client", "cursor");
    const second = machine.files();
    const elsewhere = await machine.run(["--url", "http://127.0.0.1:9"]);
    const me = await machine.run(["call", "whoami"], { env: { CREWROOM_URL: "" } });
    const nobody = await machine.run(["call", "whoami"], {
      env: { CREWROOM_URL: hub.url.replace("127.0.0.1", "localhost") },
    });

    const renewed = Object.fromEntries(
      Object.entries(first).map(([file, text]) => [file, text.replaceAll(hub.token("box2"), hub.token("box1"))]),
    );
    expect(second).toEqual(renewed);
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining("There is no token")]);
    expect([JSON.parse(me.out).user_id, nobody.code]).toEqual(["box1", 3]);
  });
});
