// `npm test`: format, types, lint and every test. `npm test -- <filters>`: only the tests that match, nothing else.
// Ends with the line `N passed, N failed`, and with a code other than 0 when something failed or nothing ran.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ensureNode, environmentFor, ROOT } from "./bootstrap.mjs";
import { buildBundles, installPackages, linkTestPackages } from "./prepare.mjs";

const TOOLS = join(ROOT, "test/node_modules");
const CACHE = join(ROOT, "test/.cache");
const COUNTS = join(CACHE, `counts-${process.pid}.json`);

const CHECKS = {
  format: [
    join(TOOLS, "prettier/bin/prettier.cjs"),
    "--check",
    "--cache",
    "--cache-location",
    join(CACHE, "prettier"),
    "--log-level",
    "warn",
    ".",
  ],
  types: [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit"],
  lint: [join(TOOLS, "oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"],
};

const filters = process.argv.slice(2);
const started = Date.now();
const total = { passed: 0, failed: 0 };

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  await installPackages(node, say, "test");
  linkTestPackages();
  if (filters.length === 0) await runChecks(node);
  await attempt("build", () => buildBundles(() => {}));
  await runTests(node);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  total.failed += 1;
}

if (total.passed + total.failed === 0) say("no test ran");
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);

async function runChecks(node) {
  for (const [name, args] of Object.entries(CHECKS)) {
    await attempt(name, async () => {
      const code = await run(node, args);
      if (code !== 0) throw new Error(`${name} failed (${code})`);
    });
  }
}

async function attempt(name, work) {
  say(name);
  try {
    await work();
  } catch (error) {
    total.failed += 1;
    say(error.message);
  }
}

async function runTests(node) {
  say("tests");
  mkdirSync(CACHE, { recursive: true });
  const args = ["run", "--config", "test/vitest.config.ts", ...filters];
  const code = await run(node, [join(TOOLS, "vitest/vitest.mjs"), ...args], { CREWROOM_TEST_COUNTS: COUNTS });
  const counts = existsSync(COUNTS) ? JSON.parse(readFileSync(COUNTS, "utf8")) : { passed: 0, failed: 0 };
  rmSync(COUNTS, { force: true });
  total.passed += counts.passed;
  total.failed += counts.failed;
  // It ended badly though no test failed: the set-up, the tear-down or the runner itself.
  if (code !== 0 && counts.failed === 0 && counts.passed > 0) total.failed += 1;
}

function run(node, args, environment = {}) {
  const env = { ...environmentFor(node), ...environment };
  env.PATH = [join(TOOLS, ".bin"), env.PATH].join(delimiter);
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: ROOT, env, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? signal));
  });
}

function say(line) {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
