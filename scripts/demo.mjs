// `npm run demo`: two MCP clients work in one room, and each line says what one of them sees. `-- --record` keeps it in docs/demo.txt.
import { join } from "node:path";
import { ensureNode, ROOT } from "./bootstrap.mjs";
import { launch } from "./launch.mjs";
import { installPackages } from "./prepare.mjs";

const say = (line) => process.stderr.write(`${line}\n`);

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  launch(node, [join(ROOT, "scripts/demo.ts"), ...process.argv.slice(2)]);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
