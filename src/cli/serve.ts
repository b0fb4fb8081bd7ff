import type { Command } from "commander";
import { listUnknownSettings, reachableUrl, readSettings, type Settings } from "../config.ts";
import { saveAddress } from "../features/organizations/queries.ts";
import { FIRST_ORGANIZATION, type Hub, startHub } from "../hub.ts";
import { VERSION } from "../version.ts";
import { databaseName } from "./database-commands.ts";
import { EXIT, UsageError } from "./exit-codes.ts";
import { quoteForShell } from "../features/tokens/setup-text.ts";
import { type OutputOption, type Shell, withOutput } from "./shell.ts";

/** How long (ms) open connections get to end; then the process ends anyway. */
const CLOSING_PATIENCE = 5_000;

/** `serve`: what `npm start` runs. */
export function addServeCommand(program: Command, shell: Shell): void {
  withOutput(
    program.command("serve").description("run the server; settings come from the environment, see: settings"),
  ).action((options: OutputOption) => serve(shell, options));
}

async function serve(shell: Shell, { json }: OutputOption) {
  const settings = readSettings();
  for (const slip of listUnknownSettings()) shell.output.note(`${slip}. See: ${shell.command} settings.`);
  const hub = await start(settings);
  const stop = stopSignal();
  const url = reachableUrl(settings, hub.port);
  // A server whose disk is full still serves reading.
  await hub.store.write(FIRST_ORGANIZATION, (tx) => saveAddress(tx, url)).catch(() => undefined);
  if (json)
    shell.output.value({
      url: hub.url,
      port: hub.port,
      database: databaseName(settings),
      version: VERSION,
      pid: process.pid,
    });
  else shell.output.note(welcome(shell.command, settings, hub));
  await stop;
  shell.output.note("Stopping.");
  setTimeout(() => process.exit(EXIT.ok), CLOSING_PATIENCE).unref();
  await hub.close();
}

/** The server's first words: where it is, where its data is, and how to connect two agents. */
function welcome(command: string, settings: Settings, hub: Hub): string {
  const isUsual = settings.DATABASE_URL || settings.CREWROOM_DB === "./data/crewroom.db";
  const run = `${isUsual ? "" : `CREWROOM_DB=${quoteForShell(settings.CREWROOM_DB)} `}${command}`;
  return [
    `Crewroom ${VERSION} serves ${hub.url}`,
    `  ${databaseName(settings)}`,
    "",
    "Connect two agents: each command mints a token and prints the line to paste for Claude Code.",
    `  ${run} token add --agent box1 --room lobby`,
    `  ${run} token add --agent box2 --room lobby`,
    ...(settings.DATABASE_URL ? ["  (with DATABASE_URL set as it is here)"] : []),
    "",
    "Ctrl-C stops it; the data stays.",
  ].join("\n");
}

/** @throws UsageError in one sentence for what the operator can mend. */
async function start(settings: Settings): Promise<Hub> {
  try {
    return await startHub(settings);
  } catch (error) {
    const problem = listenProblem(error, settings);
    throw problem === undefined ? error : new UsageError(problem, { cause: error });
  }
}

function listenProblem(error: unknown, { CREWROOM_HOST: host, PORT: port }: Settings): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return `Port ${port} on ${host} is taken by another program. Stop that one, or choose another port: PORT=${port + 1}.`;
  if (code === "EACCES")
    return `Port ${port} on ${host} may not be opened by this user. Choose one above 1023 in PORT.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `CREWROOM_HOST is ${JSON.stringify(host)}, which is no address of this machine.`;
  return undefined;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
