import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../../client/hub-client.ts";
import { queueFor } from "../adapters/codex-queue.ts";
import { valueOf, withCredentials } from "../credentials.ts";
import { whenOver } from "../ending.ts";
import { lightFetch } from "../light-fetch.ts";
import { clientOf, openMonitorFiles, openSessionFiles, type SessionFiles } from "../session-files.ts";
import { openWatch } from "../watch/open-watch.ts";
import { readWatchSettings, type WatchSettings } from "../watch/settings.ts";
import { openState } from "../watch/state.ts";
import { inboxOf, putInto } from "./inbox.ts";
import type { Json } from "./message.ts";
import { linesOf } from "./message-lines.ts";
import { openProxy, type Proxy } from "./proxy.ts";
import { openWake } from "./wake.ts";

/** What the bridge is run with. */
export interface BridgeParts {
  /** `--client` for another one than Claude Code, `--credentials` for a file with the hub's address and the token. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: Readable;
  /** Writes one message for the client, on one line. */
  readonly send: (message: Json) => void;
  readonly note: (line: string) => void;
}

/** How often (ms) it looks at the clock, its files and its parent. */
const TICK = 1_000;

/**
 * An MCP server on standard input and output that hands everything on to the hub, follows the hub's stream meanwhile, and
 * wakes the session. Ends with its input or its parent and never before: its client would not start it again.
 */
export async function runBridge({ args, environment: given, input, send, note }: BridgeParts): Promise<void> {
  const environment = withCredentials(args, given);
  const settings: WatchSettings = { ...readWatchSettings(environment), fetch: lightFetch };
  const say = (line: string) => settings.debug && note(`crewroom bridge: ${line}`);
  const client = clientOf(environment, process.ppid) ?? "";
  const files = openSessionFiles(client, [settings.url, settings.token, settings.room]);
  const own = settings.session ?? randomUUID();
  const session = () => files?.readNote().session ?? own;
  const connection: Connection = { url: settings.url, token: settings.token, fetch: lightFetch };
  const proxy = openProxy({ connection, session, send, say });
  const isOver = whenOver();

  if (files && settings.token !== undefined)
    void watchOver({ settings, nudge: nudgeFor(args, environment, files), files, client, session, proxy, say });
  await Promise.race([handOn(input, proxy), isOver]);
  files?.release();
}

/** Every message by itself: one that waits for news keeps no other. */
async function handOn(input: Readable, proxy: Proxy): Promise<void> {
  for await (const line of linesOf(input)) void proxy.take(line);
}

interface Watched {
  readonly settings: WatchSettings;
  readonly nudge: Nudge | undefined;
  readonly files: SessionFiles;
  readonly client: string;
  readonly session: () => string;
  readonly proxy: Proxy;
  readonly say: (line: string) => unknown;
}

/** Follows the stream for this session. A second bridge of the session hands messages on and is silent until the first is gone. */
async function watchOver({ settings, nudge, files, client, session, proxy, say }: Watched): Promise<void> {
  while (!files.takeLock()) {
    say("another one runs for this session; this one only hands messages on");
    await pause(TICK);
  }
  const wake = openWake({
    files,
    monitor: openMonitorFiles(client) ?? NO_MONITOR,
    nudge:
      nudge && ((text) => void nudge(text).then((isTaken) => say(`client ${isTaken ? "took" : "refused"} ${text}`))),
    caughtUp: () => watch.forget(),
    started: performance.now(),
  });
  const voices = {
    print: wake.print,
    say,
    noticed: ({ id = "" }) => wake.noticed(id),
    reached(isThere: boolean) {
      wake.reached(isThere);
      if (isThere) proxy.hubIsThere();
    },
  };
  const watch = openWatch(settings, openState(settings), voices, { path: "bridge", mode: undefined, session });
  const tick = () => {
    watch.tick();
    wake.tick(performance.now());
  };
  setInterval(tick, TICK);
  tick();
  await watch.follow();
}

/** Puts a line before the session's agent; resolves to whether the client took it. */
type Nudge = (text: string) => Promise<boolean>;

/** How a session is woken that no monitor looks at; undefined where its client cannot be. */
function nudgeFor(args: readonly string[], environment: BridgeParts["environment"], files: SessionFiles) {
  const inbox = inboxOf(environment);
  if (inbox) return (text: string) => putInto(inbox, text);
  if (valueOf("--client", args) !== "codex") return undefined;
  // What Codex calls the session is known from its hook alone.
  return (text: string) => queueFor(files.readNote().session ?? "", text);
}

const NO_MONITOR = { told: () => 0, isWatched: () => false };
