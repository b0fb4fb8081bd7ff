import { createServer } from "node:net";
import { reachableUrl, type Settings } from "../../config.ts";
import type { Finding } from "./finding.ts";

/** How long (ms) a hub may take to answer. */
const PATIENCE = 3_000;

export async function checkPort(settings: Settings): Promise<Finding> {
  const about = "port";
  const { CREWROOM_HOST: host, PORT: port } = settings;
  const problem = await tryPort(host, port);
  if (problem === undefined) return { level: "ok", about, says: `${port} on ${host} is free` };
  const local = reachableUrl({ ...settings, CREWROOM_PUBLIC_URL: undefined });
  if (problem === "EADDRINUSE" && (await troubleAt(local)) === undefined)
    return { level: "ok", about, says: `a Crewroom answers at ${host}:${port}` };
  const why = problem === "EADDRINUSE" ? "another program has it" : problem;
  const says = `${port} on ${host} cannot be opened: ${why}`;
  return { level: "fail", about, says, next: `stop what has it, or choose another port: PORT=${port + 1}` };
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/** Whether the public address leads here, as it does once proxy and server both run. */
export async function checkPublicAddress(settings: Settings): Promise<Finding[]> {
  const { CREWROOM_PUBLIC_URL: publicUrl } = settings;
  if (!publicUrl) return [];
  const about = "proxy";
  const local = reachableUrl({ ...settings, CREWROOM_PUBLIC_URL: undefined });
  if ((await troubleAt(local)) !== undefined)
    return [
      { level: "ok", about, says: `${publicUrl} is looked at while a server runs: start one, and run this again` },
    ];
  const trouble = await troubleAt(reachableUrl(settings));
  if (trouble === undefined) return [{ level: "ok", about, says: `a Crewroom answers at ${publicUrl}` }];
  const says = `${publicUrl} does not lead here, as seen from this machine: ${trouble}`;
  return [
    { level: "warn", about, says, next: `let the proxy or tunnel hand everything on to ${local}, with its Host` },
  ];
}

/** What is wrong with an address at which a Crewroom should answer. */
async function troubleAt(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE), redirect: "error" });
    const said: unknown = await answer.json().catch(() => undefined);
    const isOurs = typeof said === "object" && said !== null && "status" in said && said.status === "ok";
    return answer.ok && isOurs ? undefined : `it answers ${answer.status}, and not as a Crewroom`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  }
}
