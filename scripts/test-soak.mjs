// `npm run test:soak`: the proofs under load, see test/soak/main.ts. `-- --long` for the full form.
import { ensureNode } from "./bootstrap.mjs";
import { launch } from "./launch.mjs";
import { installPackages, linkTestPackages } from "./prepare.mjs";

const say = (line) => process.stderr.write(`${line}\n`);

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  await installPackages(node, say, "test");
  linkTestPackages();
  launch(node, ["test/soak/main.ts", ...process.argv.slice(2)]);
} catch (error) {
  say(error.message);
  process.stdout.write(`FAILED: ${error.message.split("\n")[0]}\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}
