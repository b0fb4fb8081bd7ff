import type { ClientName } from "../../agent/adapters/adapters.ts";
import type { Credentials } from "../../agent/credentials.ts";
import { claudePermission } from "../../agent/provision/claude-code.ts";
import { agentEnvironment } from "../../config.ts";
import type { ConnectionOptions } from "../connection.ts";
import { UsageError } from "../exit-codes.ts";
import type { Output } from "../output.ts";
import type { Done } from "./edits.ts";
import { fetchProgram } from "./fetch-program.ts";
import { type Files, openFiles } from "./files.ts";
import { nodeAt, parseJsonText } from "./json-text.ts";
import type { Places } from "./places.ts";
import { planFor } from "./plans.ts";
import { failedStep, type Proof, proveHook, proveToken, proveTools } from "./prove.ts";
import { applyPlan, readRecord, slotOf, writeRecord } from "./record.ts";
import { findCredentials } from "./sign-in.ts";

interface Asked extends ConnectionOptions {
  readonly clients: readonly ClientName[];
  readonly room?: string;
  readonly allowReadTools?: true;
  readonly places: Places;
  /** The names of the tools that only read. */
  readonly readTools: readonly string[];
}

/** What came of it. */
export interface Connected {
  readonly ok: boolean;
  readonly agent: string;
  readonly organization: string;
  readonly room: string | null;
  readonly url: string;
  readonly clients: readonly ClientName[];
  readonly changed: readonly string[];
  /** Files in which somebody's hand has set up the same. */
  readonly by_hand: readonly string[];
  readonly proofs: readonly Proof[];
  /** The rules that --allow-read-tools would add. */
  readonly read_permissions: readonly string[];
}

/**
 * Sets the clients up and tries each part. Until the hub has said who the token is, and every file can be changed, nothing is
 * written.
 *
 * @throws HubRefusal, HubUnreachable, UsageError, EditProblem
 */
export async function connectClients(asked: Asked, output: Output): Promise<Connected> {
  const { clients, places } = asked;
  const { credentials, me, proof } = await checkedCredentials(asked, output);
  const files = openFiles();
  await putPrograms(files, asked, credentials);
  const record = readRecord(files, places.record);
  const all = clients.map((client) => {
    const slot = slotOf(client, places);
    const earlier = record[slot] ?? [];
    const allowed = asked.allowReadTools ? asked.readTools : allowedBefore(earlier, asked.readTools);
    const { done, byHand } = applyPlan(files, planFor(client, { ...credentials, places, allowed }), earlier);
    refusePlugin(files, client, places);
    return { slot, done, byHand, mayOffer: client === "claude" && allowed.length === 0 };
  });
  writeRecord(files, places.record, { ...record, ...Object.fromEntries(all.map(({ slot, done }) => [slot, done])) });
  const changed = files.commit();

  const proofs = [proof, ...(await tryParts(clients, places, credentials))];
  return {
    ok: proofs.every(({ ok }) => ok),
    agent: me.user_id,
    organization: me.org_id,
    room: credentials.room ?? me.default_room,
    url: credentials.url,
    clients,
    changed,
    by_hand: [...new Set(all.flatMap(({ byHand }) => byHand.map(({ file }) => file)))],
    proofs,
    read_permissions: all.some(({ mayOffer }) => mayOffer) ? asked.readTools.map(claudePermission) : [],
  };
}

async function checkedCredentials(asked: Asked, output: Output) {
  const { room, places } = asked;
  const found = await findCredentials(asked, output, places.credentials);
  const credentials: Credentials = { ...found, ...(room !== undefined && { room }) };
  const { me, proof } = await proveToken(credentials);
  if (room !== undefined && !me.more_rooms && !me.rooms.includes(room))
    throw new UsageError(`${me.user_id} may not enter a room ${room}; it may enter ${me.rooms.join(", ")}.`);
  return { credentials, me, proof };
}

/** Puts what runs beside the clients into our own folder, and what it needs to reach the hub. */
async function putPrograms(files: Files, { clients, places }: Asked, credentials: Credentials) {
  // First, so that the folder is made for nobody else.
  files.put(places.credentials, `${JSON.stringify(credentials, null, 2)}\n`, true);
  files.put(places.hook, await fetchProgram(credentials, "hook"));
  if (clients.some((client) => client === "claude" || client === "codex"))
    files.put(places.bridge, await fetchProgram(credentials, "bridge"));
  if (clients.includes("opencode")) files.put(places.watch, await fetchProgram(credentials, "watch"));
}

/** @throws UsageError where Claude Code's plugin is on: it brings the same hook and the same tools. */
function refusePlugin(files: Files, client: ClientName, { claude, project }: Places) {
  const text = client === "claude" && project === undefined ? files.read(claude.settings) : undefined;
  if (text === undefined || nodeAt(parseJsonText(text), ["enabledPlugins", "crewroom@crewroom"])?.value !== true)
    return;
  throw new UsageError(
    "Claude Code's plugin crewroom@crewroom is on, and brings hook and tools itself: set it up with /plugin configure, or take it off first.",
  );
}

function allowedBefore(earlier: readonly Done[], readTools: readonly string[]): string[] {
  const rules = earlier.flatMap((done) => (done.kind === "add" && done.path[0] === "permissions" ? [done.value] : []));
  return readTools.filter((tool) => rules.includes(claudePermission(tool)));
}

async function tryParts(clients: readonly ClientName[], places: Places, credentials: Credentials): Promise<Proof[]> {
  const tools = await proveTools(credentials).catch((error: unknown) => failedStep("mcp", error));
  const hooks = await Promise.all(clients.map((client) => proveHook(client, places, agentEnvironment())));
  return [tools, ...hooks];
}
