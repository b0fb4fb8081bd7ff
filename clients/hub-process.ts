import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type RunOptions, runOrThrow } from "./run-program.ts";

const ROOT = join(import.meta.dirname, "..");
const PROGRAM = join(ROOT, "bin/crewroom.mjs");

/** How long (ms) a server may take to answer its first health check. */
const PATIENCE = 30_000;

/** What `crewroom token add --json` answers. */
export interface MintedToken {
  readonly token: string;
  readonly setup: { readonly lan: { readonly claude_cli: string } };
}

/** A server as users run it, and its command line. */
export interface HubProcess {
  readonly store: string;
  readonly url: string;
  /** Mints a token with `crewroom token add`; a room that is missing is made. */
  mint(agent: string, room: string): Promise<string>;
  /** The same with the whole answer, as far as it is needed here. */
  addToken(agent: string, room: string): Promise<MintedToken>;
  /** Makes a person of the first organization with this password. */
  addPerson(handle: string, password: string): Promise<void>;
  /** Stops it as a user does. @throws Error when it does not end in good order. */
  stop(): Promise<void>;
}

/**
 * Starts `crewroom serve` on a free port.
 *
 * @param databaseUrl  a Postgres; without one it makes an SQLite file in a temporary folder.
 * @param settings  more of the environment, where a check needs other than the usual.
 * @throws Error with what the server said, when it does not serve.
 */
export async function startHubProcess(
  databaseUrl?: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<HubProcess> {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-clients-"));
  const port = await freePort();
  const env = environment({
    PORT: String(port),
    CREWROOM_DB: join(folder, "crewroom.db"),
    CREWROOM_LOG: "warn",
    ...settings,
    ...(databaseUrl !== undefined && {
      DATABASE_URL: databaseUrl,
      CREWROOM_SECRET_KEY: "a key of the client tests, long enough",
    }),
  });
  const server = spawn(process.execPath, [PROGRAM, "serve"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => server.kill("SIGKILL")); // it must not outlive a run that breaks off
  let said = "";
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const ended = new Promise<string>((resolve) => {
    server.once("error", (error) => resolve(error.message));
    server.once("exit", (code, signal) => resolve(String(code ?? signal)));
  });
  const url = `http://127.0.0.1:${port}`;

  async function stop() {
    server.kill("SIGTERM");
    const code = await Promise.race([ended, pause(15_000, "not at all", { ref: false })]);
    if (code === "not at all") server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
    if (code !== "0") throw new Error(`The server ended with ${code} when told to stop:\n${said}`);
  }

  if (!(await serves(url, ended))) {
    await stop().catch(() => {});
    throw new Error(`The server does not serve:\n${said}`);
  }
  return {
    store: databaseUrl === undefined ? "SQLite" : "Postgres",
    url,
    stop,
    ...commandsOf({ cwd: folder, env }),
  };
}

/** The command line beside the server, on its database. */
function commandsOf(place: RunOptions): Pick<HubProcess, "addToken" | "mint" | "addPerson"> {
  async function addToken(agent: string, room: string): Promise<MintedToken> {
    const args = [PROGRAM, "token", "add", "--agent", agent, "--room", room, "--json"];
    const { out } = await runOrThrow(process.execPath, args, place);
    return JSON.parse(out) as MintedToken; // the command's contract
  }
  return {
    addToken,
    mint: async (agent, room) => (await addToken(agent, room)).token,
    async addPerson(handle, password) {
      const args = [PROGRAM, "person", "add", handle, "--password-stdin"];
      await runOrThrow(process.execPath, args, { ...place, input: password });
    },
  };
}

/** This process's environment without settings of a hub that the machine may have, plus the given ones. */
function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(CREWROOM_.*|DATABASE_(DIRECT_)?URL|PORT)$/.test(name),
  );
  return { ...Object.fromEntries(kept), ...settings };
}

async function serves(url: string, ended: Promise<string>): Promise<boolean> {
  const deadline = Date.now() + PATIENCE;
  while (Date.now() < deadline) {
    const answer = await Promise.race([fetch(`${url}/health`).catch(() => undefined), ended]);
    if (typeof answer === "string") return false;
    if (answer?.ok) return true;
    await pause(50);
  }
  return false;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo; // it listens on an address, not on a pipe
      probe.close(() => resolve(port));
    });
  });
}
