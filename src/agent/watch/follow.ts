import { setTimeout as pause } from "node:timers/promises";
import { followStream, type StreamFrame } from "../../client/event-stream.ts";
import { callByName, type Connection, HubRefusal } from "../../client/hub-client.ts";

/** Who the token stands for, and the room that is followed. */
export interface Followed {
  readonly handle: string;
  /** The person it acts for; undefined when it is one, or acts for none. */
  readonly owner: string | undefined;
  readonly room: string;
}

/** What the one who follows is told. */
export interface Follower {
  readonly began: (followed: Followed) => void;
  readonly brought: (frame: StreamFrame) => void;
  readonly opened: () => void;
  readonly lost: (why: string) => void;
  /** The hub refuses for good, by this code. Its news begin anew when it was restored (`epoch_changed`), or has pruned what was missed (`cursor_expired`). */
  readonly refused: (code: string) => void;
}

const BEGINS_ANEW: ReadonlySet<string> = new Set(["epoch_changed", "cursor_expired"]);
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
/** How long (ms) it waits after a refusal, which a person has to mend. */
const AFTER_REFUSAL = 300_000;

/** Follows a room from now on, over cuts, restarts and refusals, until the process ends. */
export async function followForEver(
  connection: Connection,
  named: string | undefined,
  follower: Follower,
): Promise<void> {
  let after: string | undefined;
  let patience = FIRST_PAUSE;
  for (;;) {
    try {
      after ??= await begin(connection, named, follower);
      for await (const frame of followStream(connection, { room: named, after, onChange: tellOf(follower) })) {
        after = frame.id ?? after;
        patience = FIRST_PAUSE;
        follower.brought(frame);
      }
    } catch (error) {
      follower.lost(error instanceof Error ? error.message : String(error));
      if (error instanceof HubRefusal && isForGood(error)) {
        follower.refused(error.code);
        if (BEGINS_ANEW.has(error.code)) after = undefined;
        else await pause(AFTER_REFUSAL);
      } else {
        await pause(patience);
        patience = Math.min(patience * 2, LONGEST_PAUSE);
      }
    }
  }
}

/** Where to begin: the place that the log has come to, asked for once, so that what comes during a cut is not missed. */
async function begin(connection: Connection, named: string | undefined, { began }: Follower): Promise<string> {
  const { user_id, owner, default_room } = await callByName(connection, "whoami", {});
  const person = typeof owner === "string" ? owner : undefined;
  began({ handle: String(user_id), owner: person, room: named ?? String(default_room) });
  const place = await callByName(connection, "read_events", { limit: 1, ...(named !== undefined && { room: named }) });
  return String(place["cursor"]);
}

function tellOf({ opened, lost }: Follower) {
  return (change: "open" | { lost: string; retryIn: number }) => (change === "open" ? opened() : lost(change.lost));
}

function isForGood({ status }: HubRefusal): boolean {
  return status !== 429 && status < 500;
}
