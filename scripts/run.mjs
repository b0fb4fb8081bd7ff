// Runs a tool of the project on the right Node: `node scripts/run.mjs prettier --write .`, `… run.mjs node scripts/x.ts`.
import { delimiter, join } from "node:path";
import { ensureNode, ROOT } from "./bootstrap.mjs";
import { launch } from "./launch.mjs";
import { installPackages, linkTestPackages } from "./prepare.mjs";

const TOOLS = {
  knip: "test/node_modules/knip/bin/knip.js",
  oxlint: "test/node_modules/oxlint/bin/oxlint",
  prettier: "test/node_modules/prettier/bin/prettier.cjs",
  tsc: "node_modules/typescript/bin/tsc",
  vitest: "test/node_modules/vitest/vitest.mjs",
};

const [tool = "", ...args] = process.argv.slice(2);
const say = (line) => process.stderr.write(`${line}\n`);

try {
  const script = TOOLS[tool];
  if (!script && tool !== "node") throw new Error(`"${tool}" is none of: node, ${Object.keys(TOOLS).join(", ")}.`);
  const node = await ensureNode(say);
  await installPackages(node, say);
  await installPackages(node, say, "test");
  linkTestPackages();
  process.env.PATH = [join(ROOT, "test/node_modules/.bin"), process.env.PATH].join(delimiter);
  launch(node, script ? [join(ROOT, script), ...args] : args);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
