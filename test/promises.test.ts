import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");

function testFiles(): string[] {
  return ["src", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => !file.includes("node_modules") && /(\.test\.ts|soak\/.*\.ts)$/.test(file))
      .map((file) => join(ROOT, folder, file)),
  );
}

test("every promise of the README is cited by a test", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const promises = [...readme.matchAll(/^\| (P\d+) \|/gm)].map((match) => match[1] ?? "");
  const tests = testFiles()
    .filter((file) => !file.endsWith("promises.test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((promise) => !new RegExp(`\\b${promise}\\b`).test(tests))).toEqual([]);
});
