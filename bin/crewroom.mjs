#!/usr/bin/env node
// The command `crewroom`, from a clone (installed and built when needed) and from the package (already built).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureNode, ROOT } from "../scripts/bootstrap.mjs";
import { launch } from "../scripts/launch.mjs";

const program = join(ROOT, "dist/crewroom.mjs");
const say = (line) => process.stderr.write(`${line}\n`);

try {
  const node = await ensureNode(say);
  if (existsSync(join(ROOT, "src/main.ts"))) {
    const { buildBundles, installPackages } = await import("../scripts/prepare.mjs");
    await installPackages(node, say);
    await buildBundles(() => {});
  }
  // On a Node that is new enough there is no need for a second process.
  if (node === process.execPath) await import(pathToFileURL(program).href);
  else launch(node, [program, ...process.argv.slice(2)]);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
