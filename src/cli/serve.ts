import type { Command } from "commander";
import { operatorCaller } from "../access/operator.ts";
import { FIRST_ORGANIZATION, reachableUrl, readSettings, type Settings } from "../config.ts";
import { HubError } from "../core/errors.ts";
import { execute } from "../core/execute.ts";
import { saveAddress } from "../features/organizations/queries.ts";
import { inviteFirstAdministrator } from "../features/people/invite-first-administrator.ts";
import { type Hub, startHub } from "../hub.ts";
import { listUnknownSettings } from "../unknown-settings.ts";
import { VERSION } from "../version.ts";
import { databaseName } from "./database-commands.ts";
import { EXIT, UsageError } from "./exit-codes.ts";
import { quoteForShell } from "../agent/provision/quote.ts";
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
  const firstSignIn = await inviteFirst(hub);
  if (json)
    shell.output.value({
      url: hub.url,
      first_sign_in: firstSignIn,
      port: hub.port,
      database: databaseName(settings),
      version: VERSION,
      pid: process.pid,
    });
  else shell.output.note(welcome(shell.command, settings, hub, firstSignIn));
  await stop;
  shell.output.note("Stopping.");
  setTimeout(() => process.exit(EXIT.ok), CLOSING_PATIENCE).unref();
  await hub.close();
}

/** A link for the first administrator, while there is nobody who could sign in; null afterwards, and when the disk is full. */
async function inviteFirst({ core, store }: Hub): Promise<string | null> {
  try {
    const caller = await operatorCaller(store, FIRST_ORGANIZATION);
    const { value } = await execute(core, inviteFirstAdministrator, { caller, input: {} });
    const { link } = inviteFirstAdministrator.output.parse(value);
    // Browsers keep passkeys for the name, not for the number.
    return link?.replace(/^http:\/\/(127\.0\.0\.1|\[::1\])(?=[:/])/, "http://localhost") ?? null;
  } catch (error) {
    if (error instanceof HubError) return null;
    throw error;
  }
}

/** The server's first words: where it is, where its data is, how to sign in first and how to connect two agents. */
function welcome(command: string, settings: Settings, hub: Hub, firstSignIn: string | null): string {
  const isUsual = settings.DATABASE_URL || settings.CREWROOM_DB === "./data/crewroom.db";
  const run = `${isUsual ? "" : `CREWROOM_DB=${quoteForShell(settings.CREWROOM_DB)} `}${command}`;
  return [
    `Crewroom ${VERSION} serves ${hub.url}`,
    `  ${databaseName(settings)}`,
    "",
    ...(firstSignIn === null
      ? []
      : ["Nobody can sign in yet. Become the first administrator here, within a day:", `  ${firstSignIn}`, ""]),
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
