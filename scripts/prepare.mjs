// Brings a clone into a state that runs: packages installed, bundles built. Does nothing when nothing changed.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { digestOf, ROOT, runNpm } from "./bootstrap.mjs";
import { packPlugin } from "./plugin-files.mjs";

/** Some packages are CommonJS inside and ask for Node's modules with `require`. */
const REQUIRE = {
  js: 'import { createRequire as createRequireForBundle } from "node:module"; const require = createRequireForBundle(import.meta.url);',
};

/** What the hub's own bundle needs besides the rest. */
const HUB = {
  target: "node24",
  sourcemap: "linked",
  sourcesContent: false,
  external: ["pg-native"], // an optional addition to pg that we do not use
  banner: REQUIRE,
};

/** Of package.json only the version goes into what others keep, so that it does not change with every package of ours. */
const VERSION_ALONE = {
  name: "version alone",
  setup(build) {
    build.onLoad({ filter: /package\.json$/ }, ({ path }) => {
      if (path !== join(ROOT, "package.json")) return undefined;
      const { version } = JSON.parse(readFileSync(path, "utf8"));
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};

/** What runs beside agents, on a Node that is theirs. */
const AGENT = { target: "node20", plugins: [VERSION_ALONE] };

/** The command line without a server: it knows every operation's fields, and so comes with all of the rules. */
const CLIENT = { ...AGENT, banner: REQUIRE, minifyWhitespace: true, minifySyntax: true };

/** What is built from src: one file each, with everything it needs inside. */
const BUNDLES = [
  { entry: "src/main.ts", out: "dist/crewroom.mjs", options: HUB },
  { entry: "src/agent/hook-main.ts", out: "dist/crewroom-hook.mjs", options: AGENT },
  { entry: "src/agent/watch-main.ts", out: "dist/crewroom-watch.mjs", options: AGENT },
  { entry: "src/agent/bridge-main.ts", out: "dist/crewroom-bridge.mjs", options: AGENT },
  { entry: "src/agent/monitor-main.ts", out: "dist/crewroom-monitor.mjs", options: AGENT },
  { entry: "src/cli/client-main.ts", out: "dist/crewroom-cli.mjs", options: CLIENT },
];

/** Made of bundles, so that it comes after them. */
const PLUGIN = { out: "dist/crewroom-plugin.tar.gz", sources: ["src", "plugins", ".claude-plugin"] };

/** The console: what browsers load, in pieces with names that change with them. Its manifest is written last. */
const CONSOLE = { out: "dist/web/manifest.json", sources: ["web", "src"] };
const FOR_BROWSERS = {
  platform: "browser",
  target: ["chrome120", "firefox121", "safari17"],
  outdir: "dist/web",
  splitting: true,
  minify: true,
  metafile: true,
  entryNames: "[name]-[hash]",
  chunkNames: "part-[hash]",
  assetNames: "[name]-[hash]",
  jsx: "automatic",
  // What needs no document: the parser of Markdown would otherwise decode `&amp;` by innerHTML, which the console's policy refuses.
  conditions: ["worker"],
  define: { "process.env.NODE_ENV": '"production"' },
};

/**
 * Installs the packages of `folder` and its lock, unless the lock is the one they were installed from.
 *
 * @param node  path of the Node to run npm with.
 * @param say   called with one sentence when something takes time.
 * @param folder  relative to the project, "" for the project itself.
 */
export async function installPackages(node, say, folder = "") {
  const place = join(ROOT, folder);
  const digest = digestOf(join(place, "package-lock.json"));
  const stamp = join(place, "node_modules", ".installed-from");
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, "utf8") === digest;
  if (isInstalled()) return;

  await alone(place, async () => {
    if (isInstalled()) return;
    say(`Installing packages${folder && ` for ${folder}`} (npm ci)`);
    await runNpm(node, ["ci", "--no-audit", "--no-fund"], place);
    writeFileSync(stamp, digest);
  });
}

/**
 * Makes the packages of test/package.json importable from everywhere in the project, though they are installed apart:
 * Node, the type checker, the linter and editors all look in node_modules, so that is where the links are.
 */
export function linkTestPackages() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "test/package.json"), "utf8"));
  for (const name of Object.keys(devDependencies)) {
    const link = join(ROOT, "node_modules", name);
    if (existsSync(link)) continue;
    rmSync(link, { force: true });
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "test/node_modules", name), link, "junction");
  }
}

/** Builds every bundle whose sources are newer than it. */
export async function buildBundles(say) {
  if ([...BUNDLES, PLUGIN, CONSOLE].every(isFresh)) return;
  await alone(ROOT, async () => {
    for (const bundle of BUNDLES.filter((one) => !isFresh(one))) {
      say(`Building ${bundle.out}`);
      await build(bundle);
    }
    if (!isFresh(PLUGIN)) packInto(PLUGIN);
    if (isFresh(CONSOLE)) return;
    say("Building the console");
    await buildConsole();
  });
}

function isFresh({ out, sources = ["src"] }) {
  const built = join(ROOT, out);
  return existsSync(built) && sources.every((place) => statSync(built).mtimeMs >= newestSource(join(ROOT, place)));
}

// Folders count too: their time changes when a file in them is added, renamed or removed.
function newestSource(place) {
  let newest = Math.max(
    statSync(place).mtimeMs,
    ...["package-lock.json", "scripts/prepare.mjs"].map((file) => statSync(join(ROOT, file)).mtimeMs),
  );
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    const path = join(place, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(path));
    else if (!/\.test\.tsx?$/.test(entry.name)) newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

async function build({ entry, out, options }) {
  const started = new Date();
  const { outputFiles } = await bundle({ entryPoints: [entry], outfile: out, platform: "node", ...options });
  for (const file of outputFiles) writeWhole(file.path, file.contents);
  // The time of the start of the build, so that a source saved during it counts as newer.
  utimesSync(join(ROOT, out), started, started);
}

function packInto({ out }) {
  const started = new Date();
  writeWhole(join(ROOT, out), packPlugin());
  utimesSync(join(ROOT, out), started, started);
}

async function buildConsole() {
  const started = new Date();
  const folder = join(ROOT, FOR_BROWSERS.outdir);
  const { outputFiles, metafile } = await bundle({ entryPoints: ["web/main.tsx"], ...FOR_BROWSERS });
  const first = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === "web/main.tsx");
  const manifest = {
    script: basename(first[0]),
    style: basename(first[1].cssBundle),
    files: outputFiles.map(({ path }) => basename(path)),
  };
  const before = existsSync(folder) ? readdirSync(folder) : [];
  for (const file of outputFiles) writeWhole(file.path, file.contents);
  writeWhole(join(ROOT, CONSOLE.out), JSON.stringify(manifest, null, 2));
  utimesSync(join(ROOT, CONSOLE.out), started, started);
  for (const name of before)
    if (name !== basename(CONSOLE.out) && !manifest.files.includes(name)) rmSync(join(folder, name), { force: true });
}

async function bundle(options) {
  const { build } = await import("esbuild");
  const usual = { absWorkingDir: ROOT, write: false, bundle: true, format: "esm", legalComments: "none" };
  return build({ ...usual, logLevel: "warning", ...options });
}

// A server that starts meanwhile reads the old file or the new one, whole.
function writeWhole(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const scratch = `${path}.tmp-${process.pid}`;
  writeFileSync(scratch, contents);
  renameSync(scratch, path);
}

// Two starts in one clone must not install or build at once: the second waits for the first.
async function alone(place, work) {
  const lock = join(place, ".preparing");
  while (!take(lock)) await pause(100);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned(lock) {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    if (!owner) return Date.now() - statSync(lock).mtimeMs > 1000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}
