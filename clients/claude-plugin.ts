import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findClaude, inHome } from "./claude-code.ts";
import { hasTerminals, until } from "./claude-terminal.ts";
import type { HubProcess } from "./hub-process.ts";
import type { Step } from "./model-stand-in.ts";
import { type Agent, CLONE, openInstalled, openWithPlugin } from "./plugin-agent.ts";
import type { Report } from "./report.ts";
import { runOrThrow } from "./run-program.ts";

const ROOM = "claude-plugin";

/** What the checks work with: agents of a room with the plugin, and a teammate in it. */
interface Crew {
  readonly binary: string;
  readonly home: string;
  readonly hub: HubProcess;
  open(agent: string): Promise<Agent>;
  post(body: string): Promise<void>;
}

/** The real Claude Code with the plugin, installed from this clone by one command; a stand-in is its model. */
export function checkClaudePlugin({ section, check, leaveOut }: Report, hub: HubProcess, home: string): Promise<void> {
  return section(`Claude Code with the plugin, on ${hub.store}`, async () => {
    const binary = findClaude();
    if (!binary) return leaveOut("Claude Code", `it has no binary for ${process.platform}-${process.arch}`);
    const mate = await hub.mint("plugin-mate", ROOM);
    const crew: Crew = {
      binary,
      home,
      hub,
      open: async (agent) =>
        openWithPlugin(binary, join(home, agent), { url: hub.url, token: await hub.mint(agent, ROOM) }),
      post: (body) => call(hub, mate, "post_message", { body }),
    };
    for (const [name, work] of Object.entries(CHECKS)) await check(name, () => work(crew));
    if (!(await hasTerminals())) return leaveOut("Claude Code at a terminal", "there is no program script for one");
    for (const [name, work] of Object.entries(AT_TERMINAL)) await check(name, () => work(crew));
  });
}

/** What a run with -p shows. */
const CHECKS: Readonly<Record<string, (crew: Crew) => Promise<void>>> = {
  "plugin and marketplace pass claude plugin validate --strict": validates,
  "the archive that the hub serves installs too, and its settings reach bridge and hook": installsFromArchive,
  "its tools are the hub's, and a call through the bridge is done there": callsThroughBridge,
  "a message that comes while it works is there with the next tool's result, and not again later": bringsWhileWorking,
  "a subagent's tools do not take the news of its session": leavesNewsToTheSession,
  "12,000 characters come as a digest of at most 9,000, which the client hands on whole": bringsDigest,
  "without a hub it works within two seconds more, and shows no error": staysOutOfTheWay,
};

/** What needs a session that stays open. */
const AT_TERMINAL: Readonly<Record<string, (crew: Crew) => Promise<void>>> = {
  "an idle session is woken within six seconds, and reads the message in the same turn, once": wakesIdle,
  "a mention that comes while it works comes once, though the hook and the monitor's line both bring it":
    bringsMentionOnce,
  "after /clear it is woken as before, as the new session": wakesAfterClear,
  "two sessions in one folder are each woken by what is theirs, and shown everything once": keepsSessionsApart,
  "without the plugin and its monitor the bridge wakes it through its inbox, also where no permission is asked for":
    wakesByInbox,
};

async function validates({ binary, home }: Crew) {
  for (const folder of [CLONE, join(CLONE, "plugins/crewroom")])
    await runOrThrow(binary, ["plugin", "validate", "--strict", folder], inHome(join(home, "validate")));
}

async function installsFromArchive({ hub, binary, home }: Crew) {
  const folder = join(home, "archive");
  const { cwd } = inHome(folder);
  const token = await hub.mint("plugin-archive", ROOM);
  const served = await fetch(`${hub.url}/v1/plugin`, { headers: { authorization: `Bearer ${token}` } });
  writeFileSync(join(cwd, "plugin.tar.gz"), Buffer.from(await served.arrayBuffer()));
  await runOrThrow("tar", ["-xzf", "plugin.tar.gz"], { cwd });
  const agent = await openWithPlugin(binary, folder, {
    url: hub.url,
    token,
    marketplace: join(cwd, "crewroom-plugin"),
  });
  const { heard } = await agent.turn("Go on.");
  assert.match(heard[0] ?? "", /Crewroom: you are plugin-archive in room claude-plugin/);
  assert.ok(existsSync(join(folder, ".claude/.credentials.json")), "the token is kept with the client's secrets");
  assert.doesNotMatch(readFileSync(join(folder, ".claude/settings.json"), "utf8"), new RegExp(token));
}

async function callsThroughBridge({ open }: Crew) {
  const agent = await open("plugin-calls");
  const { results, offered } = await agent.turn("Go on.", {
    script: [{ tool: `${HUB}whoami`, input: {} }],
  });
  assert.equal((JSON.parse(results[0] ?? "") as { user_id: string }).user_id, "plugin-calls");
  for (const tool of ["claim_task", "post_message", "whats_new"]) assert.ok(offered.includes(HUB + tool), tool);
}

const HUB = "mcp__plugin_crewroom_hub__";

async function bringsWhileWorking({ open, post }: Crew) {
  const agent = await open("plugin-busy");
  await agent.turn("Catch up.");
  const work = await agent.turn("Work.", {
    script: [TOUCH, TOUCH, TOUCH],
    meanwhile: async (ask) => ask === 2 && (await post("The soup is ready.")),
  });
  const later = await agent.turn("And now?", { args: ["--continue"] });
  const times = [...work.heard, ...later.heard].map((heard) => timesIn(heard, "| The soup is ready."));
  assert.deepEqual(times, [0, 0, 1, 1, 1]);
  assert.match(work.heard[2] ?? "", /PostToolBatch hook additional context/);
}

async function leavesNewsToTheSession({ open, post }: Crew) {
  const agent = await open("plugin-parent");
  await agent.turn("Catch up.");
  // What it is told to do stands in its parent's conversation too.
  const isSub = (read: string) => !read.includes("I am the parent.");
  let isPosted = false;
  const { heard } = await agent.turn("I am the parent.", {
    script(read, results) {
      if (isSub(read)) return results.length < 2 ? TOUCH : undefined;
      return results.length === 0 ? SUBAGENT : results.length === 1 ? TOUCH : undefined;
    },
    async meanwhile(_ask, read) {
      if (!isSub(read) || isPosted) return;
      isPosted = true;
      await post("The tea is ready.");
    },
  });
  const parents = heard.filter((read) => !isSub(read));
  const subs = heard.filter((read) => !parents.includes(read));
  assert.ok(isPosted && subs.length >= 2, "there was a subagent, and it went on after the message");
  assert.deepEqual(
    subs.map((read) => timesIn(read, "| The tea is ready.")),
    subs.map(() => 0),
  );
  assert.equal(timesIn(heard.at(-1), "| The tea is ready."), 1);
}

async function bringsDigest({ open, post }: Crew) {
  const agent = await open("plugin-much");
  await agent.turn("Catch up.");
  for (let number = 1; number <= 40; number++) await post(`${number} ${"x".repeat(300)}`);
  const { heard } = await agent.turn("Go on.", { args: ["--continue"] });
  assert.deepEqual([timesIn(heard[0], "| 40 xxx"), timesIn(heard[0], "| 1 xxx")], [1, 0]);
  assert.match(heard[0] ?? "", /older ones are left out here; whats_new lists them all/);
}

async function staysOutOfTheWay({ open, binary, home }: Crew) {
  const near = await open("plugin-near");
  const nowhere = { url: "http://127.0.0.1:9", token: "crw_agt_none" };
  const away = await openWithPlugin(binary, join(home, "plugin-away"), nowhere);
  const [bare, lone] = [await near.turn("Go on."), await away.turn("Go on.")];
  assert.deepEqual([lone.outcome.out.trim(), lone.outcome.err.trim()], ["Done.", ""]);
  const more = lone.ms - bare.ms;
  assert.ok(more < 2_000, `it took ${more} ms more`);
}

async function wakesIdle({ open, post }: Crew) {
  const agent = await open("plugin-idle");
  await using session = await agent.sit();
  await session.isFollowing();
  const asked = Date.now();
  await post("@plugin-idle the bread burns.");
  await until(
    () => session.heard.length > 0,
    6_000,
    () => `Nobody was woken:\n${session.terminal.screen().slice(-800)}`,
  );
  const ms = Date.now() - asked;
  assert.match(session.heard[0] ?? "", /\[crewroom\] claude-plugin: 1 new, 1 for you \(m\d+ by plugin-mate\)/);
  assert.equal(
    timesIn(session.heard[0], "| @plugin-idle the bread burns."),
    1,
    `it was woken after ${ms} ms without it`,
  );
  await session.terminal.enter("And now?");
  await until(
    () => session.heard.length > 1,
    20_000,
    () => "It did not go on.",
  );
  assert.equal(timesIn(session.heard.at(-1), "| @plugin-idle the bread burns."), 1);
}

async function bringsMentionOnce({ open, post }: Crew) {
  const agent = await open("plugin-both");
  await using session = await agent.sit(["--allowedTools", "Bash"], {
    script: [TOUCH, TOUCH, REST],
    meanwhile: async (ask) => ask === 2 && (await post("@plugin-both the rice is done.")),
  });
  await session.isFollowing();
  await session.terminal.enter("Work.");
  await until(
    () => session.heard.length > 3,
    40_000,
    () => `It did not go on:\n${session.terminal.screen().slice(-800)}`,
  );
  await pause(3_000); // a turn that is one too many would begin by now
  const times = session.heard.map((read) => timesIn(read, "| @plugin-both the rice is done."));
  assert.deepEqual(times.slice(0, 4), [0, 0, 1, 1]);
  assert.ok(
    times.every((count) => count <= 1),
    times.join(),
  );
}

async function wakesAfterClear({ open, post }: Crew) {
  const agent = await open("plugin-clear");
  await using session = await agent.sit();
  await session.isFollowing();
  const before = session.name();
  await session.terminal.enter("/clear");
  await until(
    () => session.name() !== before,
    20_000,
    () => "The bridge was not told of the new session.",
  );
  await post("@plugin-clear the milk boils.");
  await until(
    () => session.heard.length > 0,
    8_000,
    () => `Nobody was woken:\n${session.terminal.screen().slice(-800)}`,
  );
  assert.equal(timesIn(session.heard[0], "| @plugin-clear the milk boils."), 1);
  assert.match(before, /^[0-9a-f-]{36}$/);
}

async function keepsSessionsApart({ open, post }: Crew) {
  const agent = await open("plugin-twins");
  await using one = await agent.sit();
  await one.isFollowing();
  await using other = await agent.sit();
  await other.isFollowing();
  await post("@plugin-twins dinner.");
  for (const session of [one, other]) {
    await until(
      () => session.heard.length > 0,
      8_000,
      () => `Nobody was woken:\n${session.terminal.screen().slice(-800)}`,
    );
    assert.equal(timesIn(session.heard[0], "| @plugin-twins dinner."), 1);
  }
  await one.terminal.enter("Anything else?");
  await other.terminal.enter("Anything else?");
  for (const session of [one, other]) {
    await until(
      () => session.heard.length > 1,
      20_000,
      () => "It did not go on.",
    );
    assert.equal(timesIn(session.heard.at(-1), "| @plugin-twins dinner."), 1);
  }
  assert.notEqual(one.name(), other.name());
}

/** As the guide has it for those who want no plugin, in the mode in which the client holds what others put into its inbox. */
async function wakesByInbox({ hub, binary, home, post }: Crew) {
  const place = join(home, "plugin-inbox");
  const token = await hub.mint("plugin-inbox", ROOM);
  const agent = openInstalled(binary, place);
  const { mcp, settings } = configOfGuide();
  const folder = join(place, ".claude/crewroom");
  const filled = (text: string) =>
    text
      .replaceAll("<hub>", hub.url)
      .replaceAll("<token>", token)
      .replaceAll("$HOME", place)
      .replaceAll("${HOME}", place);
  await download(hub, token, folder);
  writeFileSync(join(place, ".claude/settings.json"), filled(settings));
  writeFileSync(join(place, "mcp.json"), filled(mcp));
  await using session = await agent.sit(["--mcp-config", join(place, "mcp.json"), "--dangerously-skip-permissions"]);
  await session.isFollowing();
  await post("@plugin-inbox the door bell rings.");
  await until(
    () => session.heard.length > 0,
    20_000,
    () => `Nobody was woken:\n${session.terminal.screen().slice(-1_500)}`,
  );
  assert.match(session.heard[0] ?? "", /\[crewroom\] claude-plugin: 1 new, 1 for you/);
  assert.equal(timesIn(session.heard[0], "| @plugin-inbox the door bell rings."), 1);
}

/** Tool calls that change nothing, one that takes its time, and one that starts a subagent. */
const TOUCH: Step = { tool: "Bash", input: { command: "sleep 0.5", description: "Nothing" } };
const REST: Step = { tool: "Bash", input: { command: "sleep 8", description: "Nothing, for long" } };
const SUBAGENT: Step = {
  tool: "Agent",
  input: { description: "Look around", prompt: "I am the subagent.", subagent_type: "general-purpose" },
};

/** What the guide has for those who want no plugin: the server's entry, and the settings. */
function configOfGuide(): { readonly mcp: string; readonly settings: string } {
  const guide = readFileSync(join(CLONE, "docs/guides/claude-code.md"), "utf8");
  const [mcp = "", settings = ""] = [...guide.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  return { mcp, settings };
}

/** What the guide fetches from the hub. */
async function download({ url }: HubProcess, token: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  for (const name of ["hook", "bridge"]) {
    const served = await fetch(`${url}/v1/${name}`, { headers: { authorization: `Bearer ${token}` } });
    writeFileSync(join(folder, `crewroom-${name}.mjs`), await served.text());
  }
}

async function call({ url }: HubProcess, token: string, operation: string, input: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers, body: JSON.stringify(input) });
  assert.equal(response.status, 200);
}

function timesIn(text: string | undefined, part: string): number {
  return (text ?? "").split(part).length - 1;
}
