import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findClaude, inHome } from "./claude-code.ts";
import type { HubProcess } from "./hub-process.ts";
import { type ModelStandIn, openModelStandIn, type Step } from "./model-stand-in.ts";
import type { Report } from "./report.ts";
import { type Outcome, runProgram } from "./run-program.ts";

const ROOM = "claude-hook";

/** What the checks work with: agents of a room, and a teammate in it. */
interface Crew {
  open(agent: string): Promise<Agent>;
  post(body: string): Promise<void>;
}

/** The real Claude Code with the hook that the hub serves, put into its settings as the guide says; a stand-in is its model. */
export function checkClaudeHook({ section, check, leaveOut }: Report, hub: HubProcess, home: string): Promise<void> {
  return section(`Claude Code with the hook, on ${hub.store}`, async () => {
    const binary = findClaude();
    if (!binary) return leaveOut("Claude Code", `it has no binary for ${process.platform}-${process.arch}`);
    const mate = await hub.mint("hook-mate", ROOM);
    const crew: Crew = {
      open: (agent) => openAgent(hub, binary, join(home, agent), agent),
      post: (body) => call(hub, mate, "post_message", { body }),
    };
    for (const [name, work] of Object.entries(CHECKS)) await check(name, () => work(crew));
  });
}

const CHECKS: Readonly<Record<string, (crew: Crew) => Promise<void>>> = {
  "a teammate's message is in the next turn, once, and never again in that session": bringsOnce,
  "the model is told at the start who it is and what waits": tellsStanding,
  "a message that comes while it works is there with the next tool's result, and not again later": bringsWhileWorking,
  "at the end of a turn only a mention makes it go on": goesOnForMention,
  "12,000 characters come as a digest of at most 9,000, which the client hands on whole": bringsDigest,
  "two sessions in one folder each get it once": keepsSessionsApart,
  "without a hub it works as if there were no hook, and shows no error": staysOutOfTheWay,
};

async function bringsOnce({ open, post }: Crew) {
  const agent = await open("hook-once");
  await post("The kettle is on.");
  const first = await agent.turn("Go on.");
  const second = await agent.turn("And now?", { args: ["--continue"] });
  assert.match(first.heard[0] ?? "", /UserPromptSubmit hook additional context/);
  assert.equal(timesIn(first.heard[0], "| The kettle is on."), 1);
  assert.equal(timesIn(second.heard[0], "| The kettle is on."), 1, "it is in the history, and not shown again");
}

async function tellsStanding({ open }: Crew) {
  const { heard } = await (await open("hook-start")).turn("Go on.");
  assert.match(heard[0] ?? "", /Crewroom: you are hook-start in room claude-hook\. Waiting for you: \d+ new/);
}

async function bringsWhileWorking({ open, post }: Crew) {
  const agent = await open("hook-busy");
  await agent.turn("Catch up.");
  const work = await agent.turn("Work.", {
    script: [TOUCH, TOUCH],
    meanwhile: async (ask) => ask === 1 && (await post("The soup is ready.")),
  });
  const later = await agent.turn("And now?", { args: ["--continue"] });
  const times = [...work.heard, ...later.heard].map((heard) => timesIn(heard, "| The soup is ready."));
  assert.deepEqual(times, [0, 1, 1, 1]);
  assert.match(work.heard[1] ?? "", /PostToolBatch hook additional context/);
}

async function goesOnForMention({ open, post }: Crew) {
  const agent = await open("hook-stop");
  await agent.turn("Catch up.");
  const chatter = await agent.turn("Rest.", { meanwhile: () => post("Chatter for all.") });
  const mention = await agent.turn("Rest.", {
    args: ["--continue"],
    meanwhile: async (ask) => ask === 1 && (await post("@hook-stop the bread burns.")),
  });
  assert.deepEqual([chatter.heard.length, mention.heard.length], [1, 2]);
  assert.equal(timesIn(mention.heard[1], "| @hook-stop the bread burns."), 1);
}

async function bringsDigest({ open, post }: Crew) {
  const agent = await open("hook-much");
  await agent.turn("Catch up.");
  for (let number = 1; number <= 40; number++) await post(`${number} ${"x".repeat(300)}`);
  const { heard } = await agent.turn("Go on.", { args: ["--continue"] });
  assert.deepEqual([timesIn(heard[0], "| 40 xxx"), timesIn(heard[0], "| 1 xxx")], [1, 0]);
  assert.match(heard[0] ?? "", /older ones are left out here; whats_new lists them all/);
}

async function keepsSessionsApart({ open, post }: Crew) {
  const agent = await open("hook-twins");
  await agent.turn("Catch up.");
  const twins = await Promise.all(
    ["one", "two"].map((name) =>
      agent.turn(`I am ${name}.`, {
        script: [TOUCH],
        meanwhile: async (ask) => ask === 1 && (await post(`For ${name}, says the cook.`)),
      }),
    ),
  );
  for (const { heard } of twins) {
    const all = heard.at(-1) ?? "";
    assert.ok(timesIn(all, ", says the cook.") >= 1, all);
    for (const name of ["one", "two"]) assert.ok(timesIn(all, `| For ${name}, says`) <= 1, all);
  }
}

async function staysOutOfTheWay({ open }: Crew) {
  const { heard, outcome } = await (await open("hook-alone")).turn("Go on.", { url: "http://127.0.0.1:9" });
  assert.deepEqual([outcome.out.trim(), outcome.err.trim()], ["Done.", ""]);
  assert.equal(timesIn(heard[0], "Crewroom"), 0);
}

/** A tool call that changes nothing. */
const TOUCH: Step = { tool: "Bash", input: { command: "true", description: "Nothing" } };

/** The settings that the guide tells people to merge into theirs. */
function settingsOfGuide(): { readonly hooks: object } {
  const guide = readFileSync(join(import.meta.dirname, "../docs/guides/hook.md"), "utf8");
  const block = /^```json\n(.*?)^```$/ms.exec(guide)?.[1] ?? "";
  return JSON.parse(block) as { hooks: object }; // as it is written there
}

interface Agent {
  /** One run of the client, to the end of its turn. */
  turn(prompt: string, how?: Turn): Promise<{ readonly heard: readonly string[]; readonly outcome: Outcome }>;
}

interface Turn {
  readonly args?: readonly string[];
  /** What its model does before it says that it is done, and what happens before each of its answers. */
  readonly script?: readonly Step[];
  readonly meanwhile?: (ask: number) => Promise<unknown>;
  /** Another address than the hub's. */
  readonly url?: string;
}

/** A home with the hook fetched from the hub and named in its settings. */
async function openAgent(hub: HubProcess, binary: string, home: string, agent: string): Promise<Agent> {
  const token = await hub.mint(agent, ROOM);
  const { env, cwd } = inHome(home);
  const hook = join(home, ".claude/hooks/crewroom-hook.mjs");
  mkdirSync(join(home, ".claude/hooks"), { recursive: true });
  mkdirSync(join(home, "tmp"), { recursive: true });
  const served = await fetch(`${hub.url}/v1/hook`, { headers: { authorization: `Bearer ${token}` } });
  writeFileSync(hook, await served.text());
  const { hooks } = settingsOfGuide();

  return {
    async turn(prompt, { args = [], script = [], meanwhile, url = hub.url } = {}) {
      const settings = {
        env: { CREWROOM_URL: url, CREWROOM_TOKEN: token, CREWROOM_HOOK_MIN_INTERVAL: "0" },
        hooks,
      };
      writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(settings, null, 2));
      const model = await openModelStandIn("", script, meanwhile);
      try {
        const outcome = await run(binary, [...args, "-p", prompt, "--allowedTools", "Bash"], env, cwd, model);
        return { heard: model.heard, outcome };
      } finally {
        model.close();
      }
    },
  };
}

async function run(
  binary: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  model: ModelStandIn,
): Promise<Outcome> {
  const own = { TMPDIR: join(cwd, "tmp"), ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "none is needed" };
  const outcome = await runProgram(binary, args, { env: { ...env, ...own }, cwd });
  assert.equal(outcome.code, 0, outcome.err + outcome.out);
  return outcome;
}

async function call({ url }: HubProcess, token: string, operation: string, input: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers, body: JSON.stringify(input) });
  assert.equal(response.status, 200);
}

function timesIn(text: string | undefined, part: string): number {
  return (text ?? "").split(part).length - 1;
}
