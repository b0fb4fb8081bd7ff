import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { CaughtUp } from "../../features/delivery/catch-up-answer.ts";
import type { Occasion } from "../adapters/adapter.ts";
import { ADAPTERS } from "../adapters/adapters.ts";
import { valueOf, withCredentials } from "../credentials.ts";
import { callHub, type HubAnswer } from "./ask-hub.ts";
import { type Digest, writeDigest } from "./digest.ts";
import { type HookEvent, readEvent, readWhole } from "./event.ts";
import { openBridgeSide } from "./bridge-side.ts";
import { type Corner, type Marker, openCorner } from "./marker.ts";
import { versionNotice } from "./notices.ts";
import { writeSelfCheck } from "./self-check.ts";
import { type Environment, type HookSettings, readHookSettings } from "./settings.ts";
import { writeStanding } from "./standing.ts";

/** What the hook is run with. */
export interface HookParts {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Resolves once the text was handed on whole. */
  readonly print: (text: string) => Promise<void>;
  readonly note: (line: string) => void;
  readonly version: string;
  /** SHA-256 of this program, as the hub tells it of what it serves. */
  readonly digest: () => string;
}

/** All that one run asks of the network has to be done within this (ms): somebody waits for their prompt. */
const DEADLINE = 1_500;

/**
 * One event of a coding agent's session: asks the hub what is new, and prints it for the model. Never fails: whatever goes
 * wrong is told with CREWROOM_HOOK_DEBUG only, and what was not printed is offered again.
 */
export async function runHook(parts: HookParts): Promise<void> {
  const settings = readHookSettings(environmentOf(parts));
  let outcome: string;
  try {
    if (parts.args.some((arg) => arg === "--selfcheck" || arg === "--version"))
      return await parts.print(writeSelfCheck(settings, parts));
    outcome = await run(settings, parts);
  } catch (error) {
    outcome = reasonOf(error);
  }
  if (settings.debug) parts.note(`crewroom hook: ${outcome}`);
}

/** The environment, with what was said on the command line: a client may hand none on. */
function environmentOf({ args, environment }: HookParts): Environment {
  const client = valueOf("--client", args);
  return { ...withCredentials(args, environment), ...(client !== undefined && { CREWROOM_HOOK_CLIENT: client }) };
}

/** Gives what came of it, in a few words. */
async function run(settings: HookSettings, parts: HookParts): Promise<string> {
  if (settings.token === undefined) return "CREWROOM_TOKEN is not set, so nothing is done";
  const event = readEvent(
    parts.input.isTTY ? "" : await readWhole(parts.input),
    ADAPTERS[settings.client],
    settings.event,
  );
  if ("silent" in event) return event.silent;
  const corner = openCorner([settings.url, settings.token, settings.room, event.session]);
  const isStep = event.occasion === "step";
  if (isStep && !corner) return "no folder of our own among the temporary ones, so nothing is done between prompts";
  const bridge = openBridgeSide(settings, parts.environment, event);
  if (bridge.isHubAway) return "the bridge cannot reach the hub";
  if (corner?.wasChecked(isStep && !bridge.hasNews ? settings.minInterval : 0)) return "checked a moment ago";
  const deadline = AbortSignal.timeout(DEADLINE);
  if (corner && !(await takeCorner(corner, isStep, deadline))) return "another run of this session is at it";
  try {
    const { outcome, broughtAll } = await bringNews(settings, parts, event, corner, deadline);
    if (broughtAll) bridge.noteSeen();
    return outcome;
  } finally {
    corner?.release();
  }
}

/** One run of a session at a time, so that two at once do not show the same. */
async function takeCorner(corner: Corner, isStep: boolean, deadline: AbortSignal): Promise<boolean> {
  while (!corner.take()) {
    if (isStep || deadline.aborted) return false;
    await pause(20);
  }
  return true;
}

/** What the hub is asked for at each occasion. */
const SHOW: Record<Occasion, string> = {
  start: "standing",
  prompt: "news",
  step: "news",
  stop: "if_for_you",
  quiet: "nothing",
  end: "nothing",
};

/** What came of it, in a few words; and whether the agent has now been shown whatever there was. */
interface Brought {
  readonly outcome: string;
  readonly broughtAll?: boolean;
}

async function bringNews(
  settings: HookSettings,
  { print, version }: HookParts,
  event: HookEvent,
  corner: Corner | undefined,
  deadline: AbortSignal,
): Promise<Brought> {
  const { occasion, session, prompted } = event;
  const marker = corner?.read() ?? {};
  const isQuiet = SHOW[occasion] === "nothing";
  if (isQuiet && marker.ack === undefined) return { outcome: ended(corner, occasion, "nothing to acknowledge") };
  const room = settings.room === undefined ? {} : { room: settings.room };
  const input = { ...room, show: SHOW[occasion], ...(prompted && { prompted }) };
  const ask = (acknowledged: object) =>
    callHub(settings, "/v1/catch_up", session, { ...input, ...acknowledged }, deadline);
  // Without a corner nothing can be acknowledged later: what was written out counts as shown.
  let answer = await ask(corner ? { ack: "0", ...marker } : {});
  if (isOtherHistory(answer) && marker.ack !== undefined) answer = await ask({ ack: "0" });
  if (answer.status !== 200) return { outcome: refusalOf(answer) };

  const caughtUp = answer.body as unknown as CaughtUp; // the hub's contract
  const digest = occasion === "start" ? { text: writeStanding(caughtUp) } : digestOf(caughtUp);
  const mayNotice = occasion === "start" || occasion === "prompt";
  const notice = mayNotice ? versionNotice(settings, answer, version) : "";
  const text = [digest.text, notice].filter((part) => part !== "").join("\n");
  if (text !== "") await print(formOf(settings, event, text));
  corner?.write(markerOf(caughtUp, occasion, digest));
  const outcome = ended(corner, occasion, text === "" ? "nothing new" : `printed ${text.length} characters`);
  // At the end of a turn nothing is shown of what is not for the agent, and it is still to come.
  return { outcome, broughtAll: SHOW[occasion] === "news" || caughtUp.events.length > 0 };
}

function digestOf(caughtUp: CaughtUp): Digest {
  const hasNews = caughtUp.events.length > 0 || (caughtUp.questions ?? []).length > 0;
  return hasNews ? writeDigest(caughtUp) : { text: "" };
}

/** What was acknowledged with this call need not be again; what was printed now is with the next one. */
function markerOf({ cursor }: CaughtUp, occasion: Occasion, { text, ...shown }: Digest): Marker {
  return text === "" || occasion === "start" ? {} : { ack: cursor, ...shown };
}

/** A client that sent JSON reads JSON; at a terminal it is plain text. */
function formOf({ client }: HookSettings, { name, occasion, byClient }: HookEvent, text: string): string {
  return `${byClient ? JSON.stringify(ADAPTERS[client].write(name, occasion, text)) : text}\n`;
}

function ended(corner: Corner | undefined, occasion: Occasion, outcome: string): string {
  if (occasion === "end") corner?.drop();
  return outcome;
}

/** A hub that was restored does not know the cursor. */
function isOtherHistory({ status, body }: HubAnswer): boolean {
  const { code } = (body["error"] ?? {}) as { code?: unknown }; // looked at below
  return status >= 400 && ["epoch_changed", "cursor_ahead", "unknown_cursor"].includes(String(code));
}

function refusalOf({ status, body }: HubAnswer): string {
  const { message, next } = (body["error"] ?? {}) as { message?: unknown; next?: unknown }; // shown as text only
  if (typeof message !== "string") return `HTTP ${status}, and not from a Crewroom: is there something before it?`;
  return `${status}: ${message} ${typeof next === "string" ? next : ""}`.trim();
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "AbortError" || error.name === "TimeoutError") return `no answer within ${DEADLINE / 1_000} s`;
  return "code" in error && error.message === "" ? String(error.code) : error.message;
}
