import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findClaude, inHome, PATIENT } from "./claude-code.ts";
import { hasTerminals, until } from "./claude-terminal.ts";
import type { HubProcess } from "./hub-process.ts";
import { openModelStandIn } from "./model-stand-in.ts";
import { openInstalled } from "./plugin-agent.ts";
import type { Report } from "./report.ts";
import { runOrThrow, runProgram } from "./run-program.ts";

const PROGRAM = join(import.meta.dirname, "../bin/crewroom.mjs");
const CONNECTED = /^crewroom: node .*crewroom-bridge\.mjs .* - ✔ Connected$/m;
const ROOM = "connect";
/** What somebody has in their settings before. */
const SETTINGS = '{\n  "model": "sonnet",\n  "permissions": { "allow": ["Bash(true)"] }\n}\n';

/** `crewroom connect` as a user runs it, and the real Claude Code with what that wrote. */
export function checkConnect({ section, check, leaveOut }: Report, hub: HubProcess, home: string): Promise<void> {
  return section(`crewroom connect, then Claude Code, on ${hub.store}`, async () => {
    const binary = findClaude();
    if (!binary)
      return leaveOut("crewroom connect", `Claude Code has no binary for ${process.platform}-${process.arch}`);
    const machine = await openMachine(hub, binary, join(home, "connect"), "connie");
    await check("claude mcp list shows the hub connected, and connect itself says that every part works", async () => {
      const { ok, proofs } = await machine.connect("--allow-read-tools");
      assert.deepEqual([ok, proofs.map((proof) => proof.ok)], [true, [true, true, true]]);
      assert.match((await machine.claude("mcp", "list")).out, CONNECTED);
    });
    await check("its hook tells the model who it is, and what only reads runs without a question", async () => {
      const { heard, results } = await machine.turn("Look around.");
      assert.match(heard[0] ?? "", /Crewroom: you are connie in room connect\./);
      assert.match(results[0] ?? "", /"you_are":"connie"/);
      assert.match(results[1] ?? "", /permission|approval/i);
    });
    await check("a second run changes nothing", async () => {
      assert.deepEqual((await machine.connect("--allow-read-tools")).changed, []);
    });
    await check("for one project: connected there, and nowhere else", async () => {
      const project = join(machine.home, "project");
      mkdirSync(project);
      await machine.undo();
      await machine.connectIn(project);
      const there = await machine.claudeIn(project, "mcp", "list");
      const here = await machine.claude("mcp", "list");
      assert.match(there.out, CONNECTED);
      assert.doesNotMatch(here.out, /crewroom/);
      await machine.undoIn(project);
    });
    await check("--undo leaves the settings as they were, and Claude Code without a hub", async () => {
      await machine.connect();
      await machine.undo();
      assert.equal(readFileSync(join(machine.home, ".claude/settings.json"), "utf8"), SETTINGS);
      assert.doesNotMatch((await machine.claude("mcp", "list")).out, /crewroom/);
      assert.deepEqual(
        readdirSync(machine.home).filter((name) => name === ".crewroom"),
        [],
      );
    });
    if (!(await hasTerminals())) return leaveOut("Claude Code at a terminal", "there is no program script for one");
    await check("an idle session is woken by a mention, and reads it in the same turn", () =>
      wakesIdle(hub, binary, join(home, "connect-idle")),
    );
  });
}

async function wakesIdle(hub: HubProcess, binary: string, home: string) {
  const machine = await openMachine(hub, binary, home, "connie-idle");
  const mate = await hub.mint("connect-mate", ROOM);
  await machine.connect();
  await using session = await openInstalled(binary, home).sit(["--dangerously-skip-permissions"]);
  await session.isFollowing();
  const headers = { authorization: `Bearer ${mate}`, "content-type": "application/json" };
  const body = JSON.stringify({ body: "@connie-idle the door bell rings." });
  const posted = await fetch(`${hub.url}/api/post_message`, { method: "POST", headers, body });
  assert.equal(posted.status, 200);
  await until(
    () => session.heard.length > 0,
    20_000,
    () => `Nobody was woken:\n${session.terminal.screen().slice(-1_500)}`,
  );
  assert.match(session.heard[0] ?? "", /\[crewroom\] connect: 1 new, 1 for you/);
  assert.match(session.heard[0] ?? "", /\| @connie-idle the door bell rings\./);
}

interface Said {
  readonly ok: boolean;
  readonly changed: readonly string[];
  readonly proofs: readonly { readonly step: string; readonly ok: boolean }[];
}

async function openMachine(hub: HubProcess, binary: string, home: string, agent: string) {
  const token = await hub.mint(agent, ROOM);
  const { env } = inHome(home);
  mkdirSync(join(home, ".claude"), { recursive: true });
  mkdirSync(join(home, "tmp"), { recursive: true });
  writeFileSync(join(home, ".claude/settings.json"), SETTINGS);
  const place = { ...env, TMPDIR: join(home, "tmp"), CREWROOM_URL: hub.url };

  async function connect(cwd: string, ...args: string[]): Promise<Said> {
    const all = [PROGRAM, "connect", "--token-file", "-", "--json", ...args];
    const { out } = await runOrThrow(process.execPath, all, { env: place, cwd, input: token });
    return JSON.parse(out) as Said; // the command's contract
  }
  const undo = (cwd: string, ...args: string[]) =>
    runOrThrow(process.execPath, [PROGRAM, "connect", "--undo", ...args], { env: place, cwd });
  const claude = (cwd: string, ...args: string[]) =>
    runProgram(binary, args, { env: { ...env, TMPDIR: place.TMPDIR }, cwd });

  return {
    home,
    connect: (...args: string[]) => connect(home, ...args),
    connectIn: (cwd: string) => connect(cwd, "--project"),
    undo: () => undo(home),
    undoIn: (cwd: string) => undo(cwd, "--project"),
    claude: (...args: string[]) => claude(home, ...args),
    claudeIn: (cwd: string, ...args: string[]) => claude(cwd, ...args),
    /** One turn: it asks what is new, which only reads, and then to post, which does not. */
    async turn(prompt: string) {
      const script = [
        { tool: "whats_new", input: {} },
        { tool: "post_message", input: { body: "Nobody allowed this." } },
      ];
      const model = await openModelStandIn("crewroom", script);
      try {
        const own = { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none is needed", ...PATIENT };
        const outcome = await runProgram(binary, ["-p", prompt], {
          env: { ...env, TMPDIR: place.TMPDIR, ...own },
          cwd: home,
        });
        assert.equal(outcome.code, 0, outcome.err + outcome.out);
        return { heard: model.heard, results: model.results };
      } finally {
        model.close();
      }
    },
  };
}
