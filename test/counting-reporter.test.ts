import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Counts } from "./counting-reporter.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** One file for each way to fail. They are no `.test.ts`, so that no other run finds them. */
const FILES = {
  "a.case.ts": `import { expect, test } from "vitest";
    test("is fine", () => undefined);
    test("is not", () => expect({ a: 1 }).toEqual({ a: 2 }));
    test("is not either", () => { throw new Error("first line\\nsecond line"); });`,
  "b.case.ts": `import "./nowhere.ts";`,
  "c.case.ts": `import { beforeAll, describe, test } from "vitest";
    describe("a suite", () => { beforeAll(() => { throw new Error("the hook"); }); test("waits", () => undefined); });`,
  "d.case.ts": `import { test } from "vitest";
    test("ends well", () => void Promise.reject(new Error("nobody caught it")));`,
  "config.ts": `import { CountingReporter } from ${JSON.stringify(join(HERE, "counting-reporter.ts"))};
    export default { test: { include: ["*.case.ts"], reporters: [new CountingReporter()] } };`,
};

test("the counts of a run name everything that failed, with the first line of why", async () => {
  mkdirSync(join(HERE, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(HERE, ".cache/reporter-"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  const vitest = join(HERE, "node_modules/vitest/vitest.mjs");
  const counts = join(folder, "counts.json");

  const child = spawn(process.execPath, [vitest, "run", "--root", folder, "--config", join(folder, "config.ts")], {
    env: { PATH: process.env["PATH"], CREWROOM_TEST_COUNTS: counts },
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  const { passed, failures } = JSON.parse(readFileSync(counts, "utf8")) as Counts; // as the reporter writes it
  rmSync(folder, { recursive: true });

  expect({ code, passed, failures: failures.toSorted() }).toEqual({
    code: 1,
    passed: 2,
    failures: [
      "a.case.ts > is not either: first line",
      "a.case.ts > is not: expected { a: 1 } to deeply equal { a: 2 }",
      expect.stringMatching(/^b\.case\.ts: Cannot find module '\.\/nowhere\.ts'/),
      "c.case.ts: the hook",
      "outside every test: nobody caught it",
    ],
  });
});
