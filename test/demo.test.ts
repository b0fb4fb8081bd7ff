import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { recordDemo, RECORDING } from "../scripts/demo.ts";

const PROGRAM = join(import.meta.dirname, "../scripts/demo.ts");

it("npm run demo tells what docs/demo.txt shows; record it anew with: npm run demo -- --record", async () => {
  expect(await recordDemo()).toBe(readFileSync(RECORDING, "utf8"));
}, 120_000);

it("npm run demo gives a browser a link that signs it in once, and ends at Ctrl-C without a trace", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-test-"));
  const demo = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "exit");
  const lines: string[] = [];
  createInterface({ input: demo.stdout }).on("line", (line) => lines.push(line));
  const link = () => lines.map((line) => line.trim()).find((line) => /^http:\/\/localhost:\d+\/[\w-]{22}$/.test(line));
  await expect.poll(link, { timeout: 60_000 }).toBeDefined();

  const first = await fetch(link() ?? "", { redirect: "manual" });
  const second = await fetch(link() ?? "", { redirect: "manual" });
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  const home = await fetch(first.headers.get("location") ?? "", { redirect: "manual", headers: { cookie } });
  demo.kill("SIGINT");
  await ended;

  expect([first.status, second.status, home.status]).toEqual([303, 404, 200]);
  expect(demo.exitCode).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  await expect(fetch(first.headers.get("location") ?? "")).rejects.toThrow("fetch failed");
  rmSync(folder, { recursive: true });
}, 120_000);
