// `npm run demo`: a story on a hub of its own, told line by line; a browser can look on, and press what a person presses.
// `-- --fast` leaves the pauses out, `-- --record` keeps it in docs/demo.txt.
import { join } from "node:path";
import { ensureNode, ROOT } from "./bootstrap.mjs";
import { launch } from "./launch.mjs";
import { buildBundles, installPackages } from "./prepare.mjs";

const say = (line) => process.stderr.write(`${line}\n`);

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  await buildBundles(say);
  launch(node, [join(ROOT, "scripts/demo.ts"), ...process.argv.slice(2)]);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
