import { existsSync, globSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { findBreaches } from "./import-rules.ts";
import { listFiles, parseModule, readModules, type Module } from "./modules.ts";

const FOLDERS = ["src", "web", "scripts", "test", "bench"].filter((folder) => existsSync(folder));
const MODULES = readModules(listFiles(FOLDERS));

const MOST_LINES = 300;
const MOST_FILES_IN_CORE = 15;
const SAYS_NOTHING = /(^|\/|-)(utils?|helpers?|common|types|manager|service|index)(\.tsx?$|\/)/;

test("Everyone imports only whom they may.", () => {
  expect(findBreaches(MODULES)).toEqual([]);
});

test("The check of imports sees every module and its imports.", () => {
  const onDisk = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx}`),
    { exclude: ["**/node_modules/**", "**/.cache/**", "**/dist/**"] },
  );

  expect(MODULES.map(({ path }) => path).toSorted()).toEqual(
    onDisk.map((path) => path.replaceAll("\\", "/")).toSorted(),
  );
  expect(MODULES.length).toBeGreaterThan(100);
  expect(MODULES.flatMap(({ imports }) => imports).length).toBeGreaterThan(3 * MODULES.length);
});

test.each([
  ["src/store/planted.ts", `import { fail } from "../core/errors.ts";`, "The store knows SQL, not the hub."],
  [
    "src/core/planted.ts",
    `import type { Task } from "../features/board/model.ts";`,
    "Core is what all features share.",
  ],
  ["src/access/planted.ts", `import "../features/rooms/queries.ts";`, "Who calls is decided before what is called."],
  ["src/features/chat/planted.ts", `import "../../edge/rest.ts";`, "A rule cannot know how it was called."],
  ["src/features/chat/planted.ts", `import "../../config.ts";`, "A rule cannot know how it was called."],
  [
    "src/features/chat/planted.ts",
    `import { claimTask } from "../board/claim-task.ts";`,
    "Another feature's queries and answers, never its operations.",
  ],
  ["src/edge/planted.ts", `import "../features/rooms/queries.ts";`, "Edges are made from the operation list alone."],
  ["src/edge/planted.ts", `import { sql } from "../store/store.ts";`, "Edges are made from the operation list alone."],
  ["src/bridges/planted.ts", `import "../operations.ts";`, "A bridge follows the log; it calls nothing."],
  [
    "src/client/planted.ts",
    `import { a } from "../operations.ts";`,
    "The client knows the list's types, not its code.",
  ],
  ["src/client/planted.ts", `import "node:fs";`, "The client runs in a browser: it imports no Node module."],
  ["src/agent/planted.ts", `import "../hub.ts";`, "What runs beside an agent reaches the hub through the client."],
  [
    "src/cli/planted.ts",
    `import "../edge/rest.ts";`,
    "The command line opens the hub or calls it; edges are for others.",
  ],
  [
    "web/planted.ts",
    `await import("../src/core/errors.ts");`,
    "The dashboard takes types from src, and values from src/client.",
  ],
  [
    "src/core/planted.ts",
    `import { sql } from "../store/sql.ts";`,
    "SQL is written in queries files, the log and the store.",
  ],
  ["src/features/board/planted.ts", `import pg from "pg";`, "Only the store knows which database it is."],
  ["src/edge/planted.ts", `import type { S } from "@modelcontextprotocol/server";`, "Only MCP's edge speaks MCP."],
  ["src/edge/planted.ts", `export { x } from "../testkit/cast.ts";`, "The testkit is not shipped."],
  [
    "src/core/planted.ts",
    `import fc from "fast-check";`,
    "Product code imports packages of package.json only, not those of the tests.",
  ],
  ["src/core/planted.ts", `import "./errors";`, "What is imported exists, and is named with its ending."],
  ["src/core/planted.ts", ``, "Nothing unused: the program reaches every file."],
])("%s may not hold: %s", (path, text, sentence) => {
  const found = findBreaches([...MODULES, parseModule(path, text)]);

  expect(found.filter((line) => line.startsWith(path)).join("\n")).toContain(sentence);
});

test("A cycle is found, through types too.", () => {
  const cycle = [
    parseModule("src/core/planted-one.ts", `import "./planted-two.ts";`),
    parseModule("src/core/planted-two.ts", `import type { One } from "./planted-one.ts";`),
  ];

  expect(findBreaches(cycle)).toContain(
    "src/core/planted-one.ts → src/core/planted-two.ts → src/core/planted-one.ts: " +
      "Two files that need each other are one file, or miss a third.",
  );
});

test.each([
  ["src/features/chat/planted.ts", `import "../board/queries.ts"; import "../../core/errors.ts"; import "zod";`],
  ["src/client/planted.ts", `import type { Operations } from "../operations.ts";`],
  ["src/features/chat/planted-queries.ts", `import { sql } from "../../store/sql.ts";`],
  ["src/edge/planted.test.ts", `import "../testkit/cast.ts"; import "vitest"; import pg from "pg";`],
])("What is allowed in %s passes.", (path, text) => {
  const found = findBreaches([...MODULES, parseModule(path, text)]);

  expect(found.filter((line) => line.startsWith(path) && line.includes("→"))).toEqual([]);
});

test("A file that cannot be parsed is not taken for one without imports.", () => {
  expect(() => parseModule("src/core/planted.ts", "import { from")).toThrow("src/core/planted.ts");
});

test(`No file is longer than ${MOST_LINES} lines.`, () => {
  expect(MODULES.filter(({ lines }) => lines > MOST_LINES).map(pathAndLines)).toEqual([]);
});

test(`Core has at most ${MOST_FILES_IN_CORE} files.`, () => {
  const files = readdirSync("src/core").filter((name) => !name.endsWith(".test.ts"));

  expect(files.length, files.join(", ")).toBeLessThanOrEqual(MOST_FILES_IN_CORE);
});

test("Every name says something.", () => {
  expect(MODULES.map(({ path }) => path).filter((path) => SAYS_NOTHING.test(path))).toEqual([]);
});

test("Nothing is exported by default, and no file only hands on.", () => {
  const product = MODULES.filter(({ path }) => path.startsWith("src/") || path.startsWith("scripts/"));

  expect(
    product.filter(({ hasDefaultExport, isBarrel }) => hasDefaultExport || isBarrel).map(({ path }) => path),
  ).toEqual([]);
});

function pathAndLines({ path, lines }: Module): string {
  return `${path} (${lines})`;
}
