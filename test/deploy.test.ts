import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SETTINGS } from "../src/config.ts";

const ROOT = join(import.meta.dirname, "..");
const FILES = readdirSync(join(ROOT, "deploy"));
const read = (name: string) => readFileSync(join(ROOT, "deploy", name), "utf8");

/** Of other programs: the compose files' own, and those of what stands beside the hub. */
const OTHERS = new Set(["CREWROOM_BIND", "CREWROOM_PORT"]);

test("Every setting that a file to deploy names is one of the hub's.", () => {
  const named = FILES.flatMap((file) =>
    [...read(file).matchAll(/\b(?:CREWROOM_[A-Z_]+|DATABASE_[A-Z]*URL)\b/g)].map(([name]) => name),
  );

  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((name) => !(name in SETTINGS) && !OTHERS.has(name))).toEqual([]);
});

test("The image is built from all that the package's build reads.", () => {
  const taken = read("Dockerfile.dockerignore")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));

  for (const needed of packedFrom()) expect(taken, needed).toContain(needed);
});

test("Each file asks the address that says whether the database is there.", () => {
  for (const file of ["Dockerfile", "render.yaml", "railway.json"]) expect(read(file), file).toContain("/readyz");
});

/** The top folders and files that package.json packs or its build starts from. */
function packedFrom(): string[] {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { files: string[] };
  const shipped = files.map((path) => path.split("/")[0] ?? "").filter((path) => path !== "dist");
  return [...new Set([...shipped, "src", "web", "plugins", "package.json", "package-lock.json"])];
}
