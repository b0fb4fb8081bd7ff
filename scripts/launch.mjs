// Runs a program in the foreground as if it were this process: its signals, its exit code, its end.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { environmentFor } from "./bootstrap.mjs";

/** How often to look whether the process that started us is still there, in ms. */
const LOOK_EVERY = 500;

/** How long a program that a terminal has interrupted itself gets before we pass the interruption on, in ms. */
const TERMINAL_GRACE = 1000;

/** Runs inside the program: without its launcher (killed, so that it could pass nothing on) it ends in good order. */
const END_WITH_LAUNCHER = `data:text/javascript,const launcher = process.ppid;
setInterval(() => process.ppid === launcher || process.kill(process.pid, "SIGTERM"), ${LOOK_EVERY}).unref();`;

const startedBy = ancestors();
let watch;

/**
 * Runs `node` with `args` until it ends, then ends with the same code.
 *
 * npm, when told to stop, leaves what it started running. So when npm started us and is gone, the program is ended.
 * Started from a shell we live on without it, as every program under nohup does.
 */
export function launch(node, args) {
  const child = spawn(node, ["--import", END_WITH_LAUNCHER, ...args], { stdio: "inherit", env: environmentFor(node) });

  process.on("SIGTERM", () => child.kill("SIGTERM"));
  process.on("SIGHUP", () => child.kill("SIGHUP"));
  // Ctrl-C reaches the whole group; passing it on at once would interrupt the program twice.
  process.on("SIGINT", () => setTimeout(() => child.kill("SIGINT"), process.stdin.isTTY ? TERMINAL_GRACE : 0));

  whenOrphaned(() => child.kill("SIGTERM"));

  child.on("error", (error) => {
    process.stderr.write(`${node} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Calls `end` once when npm started this process and is gone; a later call replaces an earlier one. */
export function whenOrphaned(end) {
  if (!process.env.npm_execpath) return;
  clearInterval(watch);
  watch = setInterval(() => {
    if (ancestors() === startedBy) return;
    clearInterval(watch);
    end();
  }, LOOK_EVERY);
  watch.unref();
}

// The parent, and where the kernel tells it, the parent's parent: between npm and us there can be a shell that outlives npm.
function ancestors() {
  const parent = process.ppid;
  try {
    const [, grandparent] = readFileSync(`/proc/${parent}/stat`, "utf8").split(") ").at(-1).split(" ");
    return `${parent} ${grandparent}`;
  } catch {
    return process.platform === "linux" ? `${parent} gone` : `${parent}`;
  }
}
