import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_FILES } from "../scripts/plugin-files.mjs";
import { runProgram } from "../clients/run-program.ts";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore } from "../src/testkit/hub.ts";
import { VERSION } from "../src/version.ts";

const ROOT = join(import.meta.dirname, "..");
const PLUGIN = join(ROOT, "plugins/crewroom");

onEachStore("what the hub hands out", (start) => {
  test("comes with its version and digest, to those who have a token", async () => {
    await using hub = await start();
    const { scripts } = (await (await hub.as("box1").fetch("/v1/client")).json()) as { scripts: Record<string, Value> };

    for (const [name, listed] of Object.entries(scripts)) {
      const served = await hub.as("box1").fetch(`/v1/${name}`);
      const bytes = Buffer.from(await served.arrayBuffer());
      const sha256 = createHash("sha256").update(bytes).digest("hex");

      expect(listed).toMatchObject({ version: VERSION, sha256, bytes: bytes.length, url: `/v1/${name}` });
      expect(served.headers.get(`x-crewroom-${name}-sha256`)).toBe(sha256);
      expect(served.headers.get(`x-crewroom-${name}-version`)).toBe(VERSION);
      expect(served.headers.get("content-disposition")).toBe(`attachment; filename="${listed["filename"]}"`);
      expect((await fetch(`${hub.url}/v1/${name}`)).status).toBe(401);
    }
    expect(Object.keys(scripts)).toEqual(["hook", "watch", "bridge", "cli", "plugin"]);
  });

  test("the client works in an empty folder, with Node alone", async () => {
    await using hub = await start();
    using empty = emptyFolder();
    const file = join(empty.path, "crewroom-cli.mjs");
    writeFileSync(file, await (await hub.as("box1").fetch("/v1/cli")).text());
    const env = { PATH: process.env["PATH"], CREWROOM_URL: hub.url, CREWROOM_TOKEN: hub.token("box1") };
    const run = (...args: string[]) => runProgram(process.execPath, [file, ...args], { env, cwd: empty.path });

    const version = await run("--version");
    const posted = await run("call", "post_message", "--body", "from an empty folder");
    const wrong = await run("call", "no_such_thing");
    const server = await run("serve");

    expect(version.out.trim()).toBe(VERSION);
    expect(JSON.parse(posted.out)).toMatchObject({ message_id: 1, author: "box1" });
    expect([wrong.code, server.code]).toEqual([2, 2]);
    expect(wrong.err).toContain("There is no operation no_such_thing. See: node crewroom-cli.mjs call --help.");
    expect(readFileSync(file, "utf8")).not.toMatch(/from\s*"(node:sqlite|pg)"/);
  });

  test("the plugin unpacks into a marketplace with what is built and what is written", async () => {
    await using hub = await start();
    using empty = emptyFolder();
    const archive = join(empty.path, "crewroom-plugin.tar.gz");
    writeFileSync(archive, Buffer.from(await (await hub.as("box1").fetch("/v1/plugin")).arrayBuffer()));

    const unpacked = await runProgram("tar", ["-xzf", archive, "-C", empty.path]);

    expect(unpacked).toEqual({ code: 0, out: "", err: "" });
    const agentFiles = AGENT_FILES.map((name) => [`agent/${name}`, readFileSync(join(ROOT, "dist", name), "utf8")]);
    const others = filesIn(PLUGIN).filter(([path]) => !path.startsWith("agent/"));
    expect(filesIn(join(empty.path, "crewroom-plugin/plugins/crewroom"))).toEqual(
      [...agentFiles, ...others].toSorted(byPath),
    );
    expect(readFileSync(join(empty.path, "crewroom-plugin/.claude-plugin/marketplace.json"))).toEqual(
      readFileSync(join(ROOT, ".claude-plugin/marketplace.json")),
    );
  });
});

test("The plugin's agent files are the built ones, and its version is the hub's.", () => {
  for (const name of AGENT_FILES) {
    const isBuilt = readFileSync(join(PLUGIN, "agent", name)).equals(readFileSync(join(ROOT, "dist", name)));
    expect(isBuilt, `${name} is stale: run npm run plugin`).toBe(true);
  }
  const { version } = JSON.parse(readFileSync(join(PLUGIN, ".claude-plugin/plugin.json"), "utf8")) as Value;
  expect(version).toBe(VERSION);
});

/** Paths and contents. */
function filesIn(folder: string): (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")] as const)
    .toSorted(byPath);
}

function byPath([a = ""]: readonly string[], [b = ""]: readonly string[]): number {
  return a < b ? -1 : 1;
}

function emptyFolder() {
  const path = mkdtempSync(join(tmpdir(), "crewroom-empty-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
