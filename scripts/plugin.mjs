// `npm run plugin`: puts the built agent files into plugins/crewroom. They are committed, so that a clone or a repository can be
// installed from as it is; a test fails when they are stale.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./bootstrap.mjs";
import { AGENT_FILES, PLUGIN } from "./plugin-files.mjs";
import { buildBundles } from "./prepare.mjs";

await buildBundles((line) => process.stderr.write(`${line}\n`));
mkdirSync(join(ROOT, PLUGIN, "agent"), { recursive: true });
for (const name of AGENT_FILES) copyFileSync(join(ROOT, "dist", name), join(ROOT, PLUGIN, "agent", name));
