import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { eventJson, hookMachine } from "../../testkit/hook.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { openDeaf, openProxy, openServer } from "../../testkit/other-servers.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

async function post(hub: TestHub, ...bodies: string[]) {
  for (const body of bodies) await hub.as("box1").call("post_message", { body });
}

onEachStore("the hook", (start) => {
  test("is never in the way: without a hub, with one that does not answer, with wrong tokens and settings", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    await using deaf = await openDeaf();
    await using stranger = await openServer((_, answer) => void answer.writeHead(403).end("<html>no</html>"));
    await post(hub, "@box2 look");

    const runs = [
      await box2.with({ CREWROOM_URL: "http://127.0.0.1:9" }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_URL: deaf.url }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_URL: stranger.url }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_URL: "no address" }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_TOKEN: "crw_agt_wrong" }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_TOKEN: "" }).at("UserPromptSubmit"),
      await box2.with({ CREWROOM_ROOM: "ops" }).at("UserPromptSubmit"),
    ];
    // A setting that cannot be used counts as none: the first run asks, and the next one within a minute does not.
    const odd = box2.with({ CREWROOM_HOOK_MIN_INTERVAL: "soon", CREWROOM_HOOK_VERSION_INTERVAL: "-1" });
    const first = await odd.at("PostToolUse");
    await post(hub, "@box2 look again");
    const second = await odd.at("PostToolUse");

    expect(runs.map(({ code, out }) => [code, out])).toEqual(runs.map(() => [0, ""]));
    expect(runs.map(({ err }) => err)).toEqual([
      expect.stringContaining("ECONNREFUSED"),
      expect.stringContaining("no answer within 1.5 s"),
      expect.stringContaining("no Crewroom"),
      expect.stringContaining("Invalid URL"),
      expect.stringContaining("401: The token is unknown, revoked or expired."),
      expect.stringContaining("CREWROOM_TOKEN is not set"),
      expect.stringContaining(`403: Room "ops" is not granted to this credential. Granted: lobby.`),
    ]);
    expect([first.code, first.text.includes("| @box2 look"), second.code, second.out]).toEqual([0, true, 0, ""]);
  });

  test("says nothing but its text, and that on standard error only when asked to", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");

    const quiet = await box2.with({ CREWROOM_HOOK_DEBUG: "" }).at("UserPromptSubmit");
    const lost = await box2.with({ CREWROOM_HOOK_DEBUG: "", CREWROOM_URL: "http://127.0.0.1:9" }).at("Stop");
    const asked = await box2.at("UserPromptSubmit");

    expect([quiet, lost].map(({ out, err }) => out + err)).toEqual(["", ""]);
    expect([asked.out, asked.err]).toEqual(["", "crewroom hook: nothing new\n"]);
  });

  test("carries its token nowhere else: redirects are not followed", async () => {
    await using hub = await start();
    await using elsewhere = await openServer((_, answer) => void answer.end("{}"));
    await using moved = await openServer(
      (_, answer) => void answer.writeHead(307, { location: `${elsewhere.url}/v1/catch_up` }).end("{}"),
    );
    using box2 = hookMachine({ url: moved.url, token: hub.token }, "box2");

    const run = await box2.at("UserPromptSubmit");

    expect([run.code, run.out, moved.requests, elsewhere.requests]).toEqual([0, "", 1, 0]);
  });

  test("tells once a day that the hub serves another version, and never anything else from that header", async () => {
    await using hub = await start();
    await using newer = await openProxy(hub.url, { "x-crewroom-hook-version": "9.8.7" });
    await using odd = await openProxy(hub.url, { "x-crewroom-hook-version": "9.8.7 and obey" });
    using box2 = hookMachine({ url: newer.url, token: hub.token }, "box2");

    const told = await box2.at("UserPromptSubmit");
    const again = await box2.at("UserPromptSubmit", { session_id: "s2" });
    const off = await box2
      .with({ CREWROOM_HOOK_VERSION_INTERVAL: "0", CREWROOM_HOOK_VERSION_CHECK: "off" })
      .at("UserPromptSubmit");
    const forged = await box2.with({ CREWROOM_URL: odd.url }).at("UserPromptSubmit");
    const equal = await box2.with({ CREWROOM_URL: hub.url }).at("UserPromptSubmit");

    expect(told.text).toMatch(
      /^For your user: this machine's Crewroom hook is version \S+, the hub serves 9\.8\.7 at /,
    );
    expect([again, off, forged, equal].map(({ out }) => out)).toEqual(["", "", "", ""]);
  });

  test("works where nothing can be noted: prompts bring what is new once, and tools bring nothing", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    // Somebody else's file lies in wait where the hook's own folder would be.
    rmSync(box2.folder, { recursive: true });
    mkdirSync(box2.folder);
    writeFileSync(join(box2.folder, `crewroom-${process.getuid?.() ?? "agent"}`), "");
    await post(hub, "@box2 look");

    const step = await box2.at("PostToolBatch");
    const prompt = await box2.at("UserPromptSubmit");

    expect([step.code, step.out]).toEqual([0, ""]);
    expect(prompt.text).toContain("| @box2 look");
    await expect.poll(async () => (await box2.at("UserPromptSubmit")).out, { timeout: 15_000 }).toBe("");
  });

  test("tells what it is without a hub, with the digest that the hub serves; the command does the same as the file", async () => {
    await using hub = await start();
    using box2 = hookMachine(hub, "box2");
    const served = await hub.as("watcher").fetch("/v1/hook");
    const text = await served.text();
    const fetched = join(box2.folder, "crewroom-hook.mjs");
    writeFileSync(fetched, text);
    const { scripts, server } = (await (await hub.as("watcher").fetch("/v1/client")).json()) as Value;
    await post(hub, "@box2 look");

    const check = await box2.with({ CREWROOM_URL: "http://127.0.0.1:9" }, fetched).run("", ["--selfcheck"]);
    const run = await box2.with({}, fetched).at("UserPromptSubmit");
    await post(hub, "@box2 and again");
    const command = await box2.with({}, MAIN).run(eventJson("UserPromptSubmit"), ["hook"]);
    const odd = await box2.with({ CREWROOM_URL: "no address" }, MAIN).run("", ["hook", "--no-such-option"]);

    expect(check.out).toContain(`crewroom hook ${scripts.hook.version}\nsha256 ${scripts.hook.sha256}\n`);
    expect(check.out).not.toContain(hub.token("box2"));
    expect(served.headers.get("x-crewroom-hook-sha256")).toBe(scripts.hook.sha256);
    expect(served.headers.get("x-crewroom-hook-version")).toBe(server.version);
    expect(scripts.hook).toMatchObject({ bytes: Buffer.byteLength(text), url: "/v1/hook" });
    expect((await fetch(`${hub.url}/v1/hook`)).status).toBe(401);
    expect(run.text).toContain("| @box2 look");
    expect(command.text.match(/^\| .*/gm)).toEqual(["| @box2 and again"]);
    expect([odd.code, odd.out]).toEqual([0, ""]);
    // It runs on any machine's Node.
    expect(
      [...text.matchAll(/ from "([^"]+)"/g)].map(([, name]) => name).filter((name) => !name?.startsWith("node:")),
    ).toEqual([]);
  });
});
