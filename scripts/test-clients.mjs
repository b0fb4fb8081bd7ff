// `npm run test:clients`: real clients that nobody here wrote, against a running Crewroom. Large (about 600 MB), hence apart
// from `npm test`. `npm run test:clients -- curl claude` runs only those; the names are in clients/run.ts.
// Ends with the line `N passed, N failed`, and with a code other than 0 when something failed or nothing ran.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, ensureNode, environmentFor, ROOT } from "./bootstrap.mjs";
import { buildBundles, installPackages } from "./prepare.mjs";

const PYTHON_HOME = join(ROOT, "clients/.cache/python");
const REQUIREMENTS = join(ROOT, "clients/requirements.txt");

/** The oldest Python that the SDK runs on. */
const OLDEST_PYTHON = "import sys; sys.exit(sys.version_info < (3, 10))";

const started = Date.now();

try {
  const node = await ensureNode(say);
  await installPackages(node, say);
  await installPackages(node, say, "test"); // for its Postgres
  await patiently("the clients", () => installPackages(node, say, "clients"));
  const python = await patiently("the Python SDK", preparePython);
  await buildBundles(say);
  process.exitCode = await run(node, python);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.stdout.write(`FAILED: ${error.message.split("\n")[0]}\n0 passed, 1 failed\n`);
  process.exitCode = 1;
}

/** A Python environment of the project with the official SDK. Gives `path` of its interpreter, or why there is `none`, or why it `failed`. */
async function preparePython() {
  const interpreter = join(
    PYTHON_HOME,
    ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]),
  );
  const stamp = join(PYTHON_HOME, "installed-from");
  const digest = digestOf(REQUIREMENTS);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest && answers(interpreter)) return { path: interpreter };

  const found = ["python3", "python"].find(answers);
  if (!found) return { none: "there is no Python 3.10 or newer on this machine" };
  say("Installing the Python SDK (pip)");
  rmSync(PYTHON_HOME, { recursive: true, force: true });
  mkdirSync(join(PYTHON_HOME, ".."), { recursive: true });
  const made = await program(found, ["-m", "venv", PYTHON_HOME]);
  if (made.code !== 0) return { none: `this machine's Python makes no environments (${lastLine(made.output)})` };
  const pip = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--only-binary",
    ":all:",
    "-r",
    REQUIREMENTS,
  ];
  const installed = await program(interpreter, pip);
  if (installed.code !== 0) return { failed: `pip could not install it:\n${installed.output}` };
  writeFileSync(stamp, digest);
  return { path: interpreter };
}

function answers(interpreter) {
  return spawnSync(interpreter, ["-c", OLDEST_PYTHON], { stdio: "ignore" }).status === 0;
}

function lastLine(text) {
  return text.trim().split("\n").at(-1);
}

function run(node, python) {
  const env = { ...environmentFor(node), CREWROOM_CLIENTS_PYTHON: JSON.stringify(python) };
  const child = spawn(node, [join(ROOT, "clients/run.ts"), ...process.argv.slice(2)], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

function program(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Says every few seconds that something slow is still under way. */
async function patiently(what, work) {
  const timer = setInterval(() => say(`… still installing ${what}`), 15_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

function say(line) {
  process.stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
}
