import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLIENT_EVENTS } from "../../testkit/clients.ts";
import { type HookMachine, hookMachine } from "../../testkit/hook.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { queueFor } from "./codex-queue.ts";

/** What each client is to read, letter by letter, where the text for its model is `text`. */
const PRINTED: Record<
  keyof typeof CLIENT_EVENTS,
  Record<"start" | "prompt" | "step" | "stop", (text: string) => object>
> = {
  codex: {
    start: (text) => ({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } }),
    prompt: (text) => ({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: text } }),
    step: (text) => ({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: text } }),
    stop: (text) => ({ decision: "block", reason: text }),
  },
  gemini: {
    start: (text) => ({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } }),
    prompt: (text) => ({ hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: text } }),
    step: (text) => ({ hookSpecificOutput: { hookEventName: "AfterTool", additionalContext: text } }),
    stop: (text) => ({ decision: "deny", reason: text }),
  },
  cursor: {
    start: (text) => ({ additional_context: text }),
    prompt: (text) => ({ continue: true, additional_context: text }),
    step: (text) => ({ additional_context: text }),
    stop: (text) => ({ followup_message: text }),
  },
  opencode: {
    start: (text) => ({ text }),
    prompt: (text) => ({ text }),
    step: (text) => ({ text }),
    stop: (text) => ({ text }),
  },
};

async function post(hub: TestHub, body: string) {
  await hub.as("box1").call("post_message", { body });
}

onEachStore("the hook for other clients", (start) => {
  test.each(Object.keys(CLIENT_EVENTS) as (keyof typeof CLIENT_EVENTS)[])(
    "prints for %s exactly what it reads at each event, once, and nothing at the others",
    async (client) => {
      await using hub = await start();
      using machine = hookMachine(hub, "box2");
      const box2: HookMachine = machine.with({ CREWROOM_HOOK_MIN_INTERVAL: "0" });
      const events = CLIENT_EVENTS[client];
      const at = (event: object) => box2.run(JSON.stringify(event), ["--client", client]);
      await post(hub, "@box2 look");

      const silent = [await Promise.all(events.silent.map(at)), await at(events.circle)].flat();
      const started = await at(events.start);
      for (const occasion of ["prompt", "step", "stop"] as const) {
        const body = `@box2 look at ${occasion}`;
        await post(hub, body);
        const { out, text } = await at(events[occasion]);
        const again = await at(events[occasion]);

        expect(text).toContain(`| ${body}`);
        expect(out).toBe(`${JSON.stringify(PRINTED[client][occasion](text))}\n`);
        expect(again.out).toBe("");
      }

      expect(silent.map(({ code, out }) => [code, out])).toEqual(silent.map(() => [0, ""]));
      expect(started.out).toBe(`${JSON.stringify(PRINTED[client].start(started.text))}\n`);
      expect(started.text).toMatch(/^Crewroom: you are box2 in room lobby\./);
      expect((await at(events.end)).out).toBe("");
    },
  );

  test("takes address and token from the file that --credentials names, before the environment's, and without it does nothing", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await post(hub, "@box2 look");
    const file = join(box2.folder, "credentials.json");
    writeFileSync(file, JSON.stringify({ url: hub.url, token: hub.token("box2"), room: "lobby" }));
    const other = box2.with({ CREWROOM_TOKEN: "", CREWROOM_URL: "http://127.0.0.1:9" });
    const prompt = JSON.stringify(CLIENT_EVENTS.codex.prompt);

    const none = await other.run(prompt, ["--client=codex", "--credentials", join(box2.folder, "nowhere.json")]);
    const given = await other.run(prompt, ["--client=codex", `--credentials=${file}`]);

    expect([none.code, none.out]).toEqual([0, ""]);
    expect(given.text).toContain("| @box2 look");
  });
});

test("codex queue is given the thread and the line as they are, no other thread, and never a shell", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-codex-"));
  const program = join(folder, "codex");
  const thread = "01a23113-69cd-77f1-9d94-9b5ac32c523a";
  const line = "[crewroom] lobby: 1 new, $(id) `id` \"'; whats_new has them";
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\0' "$@" > "${folder}/args"\nexit "$(cat "${folder}/code")"\n`);
  chmodSync(program, 0o700);
  writeFileSync(join(folder, "code"), "0");

  const taken = await queueFor(thread, line, program);
  const args = readFileSync(join(folder, "args"), "utf8").split("\0").slice(0, -1);
  writeFileSync(join(folder, "code"), "1");
  const others = [
    await queueFor(thread, line, program),
    await queueFor("--remote", line, program),
    await queueFor(thread, line, join(folder, "nowhere")),
  ];
  rmSync(folder, { recursive: true });

  expect([taken, args]).toEqual([true, ["queue", "--thread", thread, "--message", line]]);
  expect(others).toEqual([false, false, false]);
});
