import { clientOf, openSessionFiles } from "../session-files.ts";
import type { HookEvent } from "./event.ts";
import type { Environment, HookSettings } from "./settings.ts";

/** What the session's bridge says, where there is one. */
export interface BridgeSide {
  /** Others did something that the hook has not shown in this session. False where no bridge looks. */
  readonly hasNews: boolean;
  /** The bridge has just tried to reach the hub, in vain. */
  readonly isHubAway: boolean;
  /** Tells the bridge that the session has been shown all that it knew of when the hook began. */
  noteSeen(): void;
}

/** Reads what the bridge says, and tells it what the session is called and does now. */
export function openBridgeSide(
  { url, token, room, client: name }: HookSettings,
  environment: Environment,
  { session, occasion }: HookEvent,
): BridgeSide {
  // Claude Code names itself; others start their hooks and their bridge themselves, and are the parent of both.
  const client = clientOf(environment, name === "claude" ? undefined : process.ppid);
  const files = client === undefined ? undefined : openSessionFiles(client, [url, token, room]);
  if (!files) return NO_BRIDGE;
  const before = files.readNote();
  const note = { ...before, ...(session !== undefined && { session }), occasion, at: Date.now() };
  const signal = files.readSignal();
  // A session begins before its bridge lives, which is to know then what it is called.
  if (signal || occasion === "start") files.writeNote(note);
  else if (occasion === "end") files.forgetNote();
  if (!signal) return NO_BRIDGE;
  return {
    hasNews: signal.news !== "" && signal.news !== before.seen,
    isHubAway: signal.hub === "away",
    noteSeen: () => files.writeNote({ ...note, seen: signal.news, at: Date.now() }),
  };
}

const NO_BRIDGE: BridgeSide = { hasNews: false, isHubAway: false, noteSeen: () => undefined };
