import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { inHome } from "./claude-code.ts";
import { isThere } from "./run-program.ts";

/** A Claude Code at a terminal, as a person has it open. */
export interface ClaudeTerminal extends AsyncDisposable {
  /** Types a line and presses Enter. */
  enter(line: string): Promise<void>;
  /** What the screen got so far, without what moves and colours it. */
  screen(): string;
}

/** The client asks for no sign-in when it is given a key and told that its person wants it. */
const KEY = "sk-ant-none-is-needed-0123456789abcdef";

/** Whether this machine can give a program a terminal. */
export function hasTerminals(): Promise<boolean> {
  return process.platform === "linux" ? isThere("script") : Promise.resolve(false);
}

/** The environment of a home in which nobody is asked anything at the first start, and the folder to work in. */
export function furnish(home: string, model: { readonly url: string }) {
  const { env } = inHome(home);
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  mkdirSync(join(home, "tmp"), { recursive: true });
  mkdirSync(join(home, ".claude"), { recursive: true });
  const file = join(home, ".claude/.claude.json");
  writeFileSync(
    file,
    JSON.stringify({
      ...readObject(file),
      hasCompletedOnboarding: true,
      theme: "dark",
      bypassPermissionsModeAccepted: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
    }),
  );
  const own = {
    // As root, which one is in a container, it takes no mode without permissions elsewhere.
    IS_SANDBOX: "1",
    TMPDIR: join(home, "tmp"),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    TERM: "xterm-256color",
  };
  return { env: { ...env, ...own }, cwd: project };
}

/** Opens it and waits until it takes a line. */
export async function openTerminal(
  binary: string,
  args: readonly string[],
  { env, cwd }: ReturnType<typeof furnish>,
): Promise<ClaudeTerminal> {
  const command = `stty rows 50 cols 160; exec ${[binary, ...args].map((word) => `'${word}'`).join(" ")}`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  process.once("exit", () => child.kill("SIGKILL")); // it must not outlive a run that breaks off
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  child.stdin.on("error", () => {}); // it may have ended
  const screen = () => plain(shown);
  await until(
    () => /❯/.test(screen()),
    30_000,
    () => `It did not open:\n${screen().slice(-1_000)}`,
  );
  return {
    screen,
    async enter(line) {
      child.stdin.write(line);
      await pause(300); // else the end of the line counts as pasted with it
      child.stdin.write("\r");
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      for (let press = 0; press < 3; press++) {
        child.stdin.write("\x03");
        await pause(300);
      }
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Waits for something to become true. @throws Error with what is the case when it does not within so many ms. */
export async function until(isTrue: () => unknown, patience: number, otherwise: () => string): Promise<void> {
  const deadline = Date.now() + patience;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(otherwise());
    await pause(50);
  }
}

function plain(shown: string): string {
  // oxlint-disable-next-line no-control-regex
  return shown.replace(/\u001b(\[[0-9;?>]*[ -/]*[@-~]|\][^\u0007]*\u0007|[()][A-Z0-9])/g, "").replace(/\r/g, "\n");
}

function readObject(file: string): object {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as object; // the client's own file
  } catch {
    return {};
  }
}
