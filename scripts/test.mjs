// `npm test`: format, types, lint and every test. `npm test -- <filters>`: only the tests that match, nothing else.
// Ends with a line `FAILED: …` for each failure and the line `N passed, N failed`, and with a code other than 0 when something failed or nothing ran.
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
  "types of the console": [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", "web"],
  lint: [join(TOOLS, "oxlint/bin/oxlint"), "--type-aware", "--deny-warnings"],
};

const filters = process.argv.slice(2);
const started = Date.now();
const total = { passed: 0, failures: [] };

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
  total.failures.push(error.message);
}

const failed = total.failures.length;
if (total.passed + failed === 0) say("no test ran");
process.exitCode = failed > 0 || total.passed === 0 ? 1 : 0;
for (const failure of total.failures) process.stdout.write(`FAILED: ${failure.split("\n")[0]}\n`);
process.stdout.write(`${total.passed} passed, ${failed} failed\n`);

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
    total.failures.push(error.message);
    say(error.message);
  }
}

async function runTests(node) {
  say("tests");
  mkdirSync(CACHE, { recursive: true });
  const args = ["run", "--config", "test/vitest.config.ts", ...filters];
  const code = await run(node, [join(TOOLS, "vitest/vitest.mjs"), ...args], { CREWROOM_TEST_COUNTS: COUNTS });
  const counts = existsSync(COUNTS) ? JSON.parse(readFileSync(COUNTS, "utf8")) : { passed: 0, failures: [] };
  rmSync(COUNTS, { force: true });
  total.passed += counts.passed;
  total.failures.push(...counts.failures);
  // It ended badly though no test failed: the set-up, the tear-down or the runner itself.
  if (code !== 0 && counts.failures.length === 0 && counts.passed > 0)
    total.failures.push(`the tests passed, but their runner ended with ${code}`);
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
