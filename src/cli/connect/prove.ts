import { spawn } from "node:child_process";
import { type ClientName, ADAPTERS } from "../../agent/adapters/adapters.ts";
import type { Credentials } from "../../agent/credentials.ts";
import { HubRefusal, HubUnreachable, openHubClient, reach, refusalOf } from "../../client/hub-client.ts";
import type { Places } from "./places.ts";

/** One step on the way from this machine to the hub and back. */
export interface Proof {
  readonly step: string;
  readonly ok: boolean;
  readonly says: string;
}

/** A hook that takes longer (ms) keeps somebody waiting for their prompt. */
const HOOK_PATIENCE = 10_000;

/** A hub that takes longer (ms) is none to work with. */
const HUB_PATIENCE = 15_000;

/** @throws HubUnreachable when there is no answer in time. */
export async function inTime<T>(
  { url }: Pick<Credentials, "url">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(HUB_PATIENCE);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new HubUnreachable(`${url} does not answer within ${HUB_PATIENCE / 1_000} s.`, { cause: error });
  }
}

/** Asks the hub for the tools that this token has, as a client of MCP would. */
export async function proveTools({ url, token }: Credentials): Promise<Proof> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
  const connection = { url, token };
  const body = JSON.stringify(request);
  const response = await inTime(connection, (signal) =>
    reach(connection, "/mcp", { method: "POST", headers, body, signal }),
  );
  if (!response.ok) throw await refusalOf(connection, response);
  const { result } = (await response.json()) as { result?: { tools?: readonly unknown[] } }; // looked at here
  const count = result?.tools?.length ?? 0;
  return { step: "mcp", ok: count > 0, says: `${url}/mcp offers ${count} tools` };
}

/** Who the token is. @throws HubRefusal, HubUnreachable */
export async function proveToken(credentials: Credentials) {
  const me = await inTime(credentials, (signal) => openHubClient(credentials).call("whoami", {}, signal));
  const where = me.default_room ?? "no room";
  const owner = me.owner === null ? "" : `, an agent of ${me.owner}`;
  const proof: Proof = { step: "token", ok: true, says: `${me.user_id}${owner} in ${me.org_id}, room ${where}` };
  return { me, proof };
}

/** Runs the hook as the client would at a session's start: nothing is taken by that, and nothing is posted. */
export async function proveHook(client: ClientName, places: Places, environment: Environment): Promise<Proof> {
  const [event = ""] = Object.entries(ADAPTERS[client].occasions).find(([, occasion]) => occasion === "start") ?? [];
  const input = { hook_event_name: event, [ADAPTERS[client].session]: `connect-${process.pid}` };
  const args = [places.hook, "--client", client, "--credentials", places.credentials];
  const { out, err } = await run(args, keptOf(environment), JSON.stringify(input));
  const ok = out.includes("Crewroom: you are ");
  const why = err.trim().split("\n").at(-1)?.replace("crewroom hook: ", "") || "it printed nothing";
  return { step: "hook", ok, says: ok ? `tells ${client} at its start who it is` : `the hook does not work: ${why}` };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What a program needs to run at all; the client may give it no more. */
function keptOf({ PATH, TMPDIR, TEMP, SystemRoot }: Environment): Environment {
  return { PATH, TMPDIR, TEMP, SystemRoot };
}

function run(args: readonly string[], own: Environment, input: string) {
  return new Promise<{ out: string; err: string }>((resolve) => {
    const env = { ...own, CREWROOM_HOOK_DEBUG: "1", CREWROOM_HOOK_VERSION_CHECK: "off" };
    const child = spawn("node", args, { env, timeout: HOOK_PATIENCE, stdio: ["pipe", "pipe", "pipe"] });
    const said = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.err += text));
    child.on("error", (error) => resolve({ out: "", err: `node cannot be started: ${error.message}` }));
    child.on("close", () => resolve(said));
    child.stdin.on("error", () => undefined); // it may end without reading
    child.stdin.end(input);
  });
}

/** A failure as a step that did not work, where it is the hub's or the way's; a bug flies on. */
export function failedStep(step: string, error: unknown): Proof {
  if (!(error instanceof HubRefusal) && !(error instanceof HubUnreachable)) throw error;
  return { step, ok: false, says: error instanceof HubRefusal ? `${error.message} ${error.next}` : error.message };
}
