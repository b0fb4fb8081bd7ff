// The checks of `npm run test:clients`; scripts/test-clients.mjs installs what they need and starts them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkClaudeCode } from "./claude-code.ts";
import { checkConnect } from "./claude-connect.ts";
import { checkClaudeHook } from "./claude-hook.ts";
import { checkClaudeLogin } from "./claude-login.ts";
import { checkClaudePlugin } from "./claude-plugin.ts";
import { checkConformance } from "./conformance.ts";
import { checkCurl } from "./curl.ts";
import { type HubProcess, startHubProcess } from "./hub-process.ts";
import { checkInspector } from "./inspector.ts";
import { checkPythonClient, type Python } from "./python-client.ts";
import { openReport } from "./report.ts";
import { checkTypeScriptClient, ERAS } from "./typescript-client.ts";

/** The interpreter that has the Python SDK, or why there is none; told by scripts/test-clients.mjs. */
const python = JSON.parse(process.env["CREWROOM_CLIENTS_PYTHON"] ?? '{"none":"run npm run test:clients"}') as Python;

/** Names of clients, as below; all of them unless some are given. */
const wanted = process.argv.slice(2);

const report = openReport();
const home = mkdtempSync(join(tmpdir(), "crewroom-clients-home-"));

type Clients = Readonly<Record<string, (hub: HubProcess) => Promise<void>>>;

/** They work on the hub as agents do: on either store. */
const PLAIN: Clients = {
  typescript: async (hub) => {
    for (const era of ERAS) await checkTypeScriptClient(report, hub, era);
  },
  python: (hub) => checkPythonClient(report, hub, python),
  curl: (hub) => checkCurl(report, hub),
};

/** They judge what stands before any store. */
const JUDGES: Clients = {
  inspector: (hub) => checkInspector(report, hub, home),
  conformance: (hub) => checkConformance(report, hub, home),
  claude: (hub) => checkClaudeCode(report, hub, home),
  login: () => checkClaudeLogin(report, home, python),
  hook: (hub) => checkClaudeHook(report, hub, home),
  connect: (hub) => checkConnect(report, hub, home),
  plugin: (hub) => checkClaudePlugin(report, hub, home),
};

await onHub("SQLite", undefined, { ...PLAIN, ...JUDGES });
await report.section("Postgres", async () => {
  const postgres = await startPostgres();
  await onHub("Postgres", postgres.url, PLAIN);
  await postgres.stop();
});

rmSync(home, { recursive: true, force: true });
process.exitCode = report.end();

async function onHub(store: string, databaseUrl: string | undefined, clients: Clients) {
  const started: { hub?: HubProcess } = {};
  await report.section(`crewroom serve, on ${store}`, async () => {
    await report.check("starts and answers", async () => {
      started.hub = await startHubProcess(databaseUrl);
    });
  });
  const { hub } = started;
  if (!hub) return;
  for (const [name, checks] of Object.entries(clients))
    if (wanted.length === 0 || wanted.includes(name)) await checks(hub);
  await report.section(`crewroom serve, on ${store}`, () =>
    report.check("ends in good order when told to", () => hub.stop()),
  );
}

/** A Postgres of the test packages, set as in production; it ends with this process whatever happens. */
async function startPostgres() {
  const script = join(import.meta.dirname, "../test/postgres.mjs");
  const server = spawn(process.execPath, [script, "--durable"], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  const [line] = await Promise.race([once(server.stdout.setEncoding("utf8"), "data"), ended]);
  if (typeof line !== "string") throw new Error("Postgres did not start.");
  return {
    url: (JSON.parse(line) as { url: string }).url, // the script writes this one line
    async stop() {
      server.stdin.end();
      await ended;
    },
  };
}
