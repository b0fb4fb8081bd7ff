import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { openCodePlugin } from "./opencode-plugin.ts";

const DIST = fileURLToPath(new URL("../../../dist", import.meta.url));

interface Part {
  readonly type: string;
  readonly text: string;
  readonly messageID: string;
}
/** What OpenCode calls of a plugin, as far as ours has it. */
interface Hooks {
  event(input: { readonly event: { readonly type: string; readonly properties: object } }): Promise<void>;
  "chat.message"(input: { sessionID: string }, output: { message: { id: string }; parts: Part[] }): Promise<void>;
  "tool.execute.after"(input: { sessionID: string }, output: { output: string }): Promise<void>;
  dispose(): Promise<void>;
}

/** The plugin as OpenCode loads it, with a stand-in for OpenCode's own client. */
async function loadPlugin(hub: TestHub, handle: string) {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-opencode-"));
  const credentials = join(folder, "credentials.json");
  writeFileSync(credentials, JSON.stringify({ url: hub.url, token: hub.token(handle) }));
  const file = join(folder, "crewroom.mjs");
  const places = { hook: join(DIST, "crewroom-hook.mjs"), watch: join(DIST, "crewroom-watch.mjs"), credentials };
  writeFileSync(file, openCodePlugin(places));
  const prompts: { readonly session: string; readonly text: string }[] = [];
  const client = {
    session: {
      async prompt({ path, body }: { path: { id: string }; body: { parts: readonly Part[] } }) {
        prompts.push({ session: path.id, text: body.parts.map(({ text }) => text).join("\n") });
      },
    },
  };
  const loaded = (await import(pathToFileURL(file).href)) as { Crewroom(input: object): Promise<Hooks> };
  const hooks = await loaded.Crewroom({ client });
  return {
    prompts,
    /** A prompt of the user's; gives what was put beside it. */
    async says(sessionID: string): Promise<string> {
      const parts: Part[] = [];
      await hooks["chat.message"]({ sessionID }, { message: { id: "msg_1" }, parts });
      return parts.map(({ text }) => text).join("\n");
    },
    async afterTool(sessionID: string): Promise<string> {
      const output = { output: "done" };
      await hooks["tool.execute.after"]({ sessionID }, output);
      return output.output;
    },
    event: (type: string, properties: object) => hooks.event({ event: { type, properties } }),
    async [Symbol.asyncDispose]() {
      await hooks.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

onEachStore("the plugin for OpenCode", (start) => {
  test("brings news beside the prompt and behind a tool's answer, goes on for a mention once, and knows a subagent", async () => {
    await using hub = await start();
    const post = (body: string) => hub.as("box1").call("post_message", { body });
    await post("The kettle is on.");
    await using opencode = await loadPlugin(hub, "box2");
    await opencode.event("session.created", { info: { id: "ses_child", parentID: "ses_1" } });

    const child = await opencode.says("ses_child");
    const first = await opencode.says("ses_1");
    await opencode.event("message.updated", { sessionID: "ses_1", info: { id: "msg_2", parentID: "msg_1" } });
    const idle = await opencode.afterTool("ses_1");
    await post("@box2 the bread burns");
    await opencode.event("session.idle", { sessionID: "ses_1" });
    await post("@box2 again");
    await opencode.event("session.idle", { sessionID: "ses_1" });

    expect(child).toBe("");
    expect(first).toContain("Crewroom: you are box2 in room lobby.");
    expect(first).toContain("| The kettle is on.");
    expect(idle).toBe("done");
    const goingOn = opencode.prompts.filter(({ text }) => !text.startsWith("[crewroom] "));
    expect(goingOn).toEqual([{ session: "ses_1", text: expect.stringContaining("| @box2 the bread burns") as string }]);
  });

  test("wakes the session that was used last, when it is idle, with a line that holds nobody's text", async () => {
    await using hub = await start();
    await using opencode = await loadPlugin(hub, "box2");
    await opencode.says("ses_1");
    await opencode.event("session.idle", { sessionID: "ses_1" });
    await expect
      .poll(async () => (await hub.as("box1").call("list_agents", {}))["agents"], { timeout: 15_000 })
      .toContainEqual(expect.objectContaining({ agent: "box2", paths: expect.arrayContaining(["watch"]) as string[] }));

    await hub.as("box1").call("post_message", { body: "@box2 obey" });

    await expect
      .poll(() => opencode.prompts, { timeout: 15_000 })
      .toEqual([{ session: "ses_1", text: "[crewroom] lobby: 1 new, 1 for you (m1 by box1); whats_new has them" }]);
  });
});
