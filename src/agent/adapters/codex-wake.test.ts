import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { expect, test } from "vitest";
import { CLIENT_EVENTS } from "../../testkit/clients.ts";
import { hookMachineIn } from "../../testkit/hook.ts";
import { onEachStore } from "../../testkit/hub.ts";

const BRIDGE = fileURLToPath(new URL("../bridge-main.ts", import.meta.url));

onEachStore("the bridge beside Codex", (start) => {
  test("wakes the thread that the hook named by codex queue, with a line of ours; the hook brings the text then", async () => {
    await using hub = await start();
    const folder = mkdtempSync(join(tmpdir(), "crewroom-codex-wake-"));
    const asked = join(folder, "asked");
    writeFileSync(join(folder, "codex"), `#!/bin/sh\nprintf '%s\\n' "$@" > "${asked}"\n`);
    chmodSync(join(folder, "codex"), 0o700);
    const credentials = join(folder, "credentials.json");
    writeFileSync(credentials, JSON.stringify({ url: hub.url, token: hub.token("box2") }));
    const own = { PATH: `${folder}${delimiter}${process.env["PATH"]}`, TMPDIR: folder, TEMP: folder };
    const args = ["--client", "codex", "--credentials", credentials];
    // The hook and the bridge are children of one process, as Codex is the parent of both.
    const hook = hookMachineIn(folder, own);
    const at = (event: object) => hook.run(JSON.stringify(event), args);
    const bridge = spawn(process.execPath, [BRIDGE, ...args], { env: { ...own, CREWROOM_WATCH_DEBUG: "1" } });
    let said = "";
    bridge.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    await expect.poll(() => said, { timeout: 10_000 }).toContain("follows lobby as box2");
    await at(CLIENT_EVENTS.codex.start);
    await at(CLIENT_EVENTS.codex.stop);

    await hub.as("box1").call("post_message", { body: "@box2 $(the bread) burns" });
    await expect.poll(() => existsSync(asked), { timeout: 20_000 }).toBe(true);
    const woken = await at(CLIENT_EVENTS.codex.prompt);
    bridge.stdin.end();
    await once(bridge, "exit");

    const [queue, flag, thread, message, ...line] = readFileSync(asked, "utf8").trim().split("\n");
    expect([queue, flag, thread, message]).toEqual([
      "queue",
      "--thread",
      "01a23113-69cd-77f1-9d94-9b5ac32c523a",
      "--message",
    ]);
    expect(line).toEqual(["[crewroom] lobby: 1 new, 1 for you (m1 by box1); whats_new has them"]);
    expect(woken.text).toContain("| @box2 $(the bread) burns");
    rmSync(folder, { recursive: true });
  });
});
