// `npm start`: from a fresh clone to a serving Crewroom. `--build-only` stops after the build (see prepack).
import { join } from "node:path";
import { ensureNode, ROOT } from "./bootstrap.mjs";
import { launch, whenOrphaned } from "./launch.mjs";
import { buildBundles, installPackages } from "./prepare.mjs";

const args = process.argv.slice(2);
const started = Date.now();
const say = (line) => process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${line}\n`);

whenOrphaned(() => process.exit(1));

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  await buildBundles(say);
  if (!args.includes("--build-only"))
    launch(node, ["--enable-source-maps", join(ROOT, "dist/crewroom.mjs"), "serve", ...args]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
