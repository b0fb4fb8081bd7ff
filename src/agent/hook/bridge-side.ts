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
  { url, token, room }: HookSettings,
  environment: Environment,
  { session, occasion }: HookEvent,
): BridgeSide {
  const client = clientOf(environment);
  const files = client === undefined ? undefined : openSessionFiles(client, [url, token, room]);
  const signal = files?.readSignal();
  if (!files || !signal) return { hasNews: false, isHubAway: false, noteSeen: () => undefined };
  const before = files.readNote();
  const note = { ...before, ...(session !== undefined && { session }), occasion, at: Date.now() };
  files.writeNote(note);
  return {
    hasNews: signal.news !== "" && signal.news !== before.seen,
    isHubAway: signal.hub === "away",
    noteSeen: () => files.writeNote({ ...note, seen: signal.news, at: Date.now() }),
  };
}
