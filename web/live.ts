import type { QueryClient } from "@tanstack/react-query";
import { followStream, type StreamFrame } from "../src/client/event-stream.ts";
import { HubRefusal } from "../src/client/hub-client.ts";
import { addMessage, catchUpMessages, refreshMessage } from "./chat/messages.ts";
import { hasEnded, type Hub, type Message } from "./hub.ts";
import { keys } from "./keys.ts";

/** How the stream stands: what is shown is the hub's state only while it is `open`. */
export type Line = "opening" | "open" | "lost";

interface LiveParts {
  readonly hub: Pick<Hub, "connection" | "call">;
  readonly room: string;
  readonly queries: QueryClient;
  readonly onLine: (line: Line) => void;
  readonly onEnd: () => void;
}

/** How long (ms) a tab that nobody sees keeps its line: browsers allow six to one host, for all its tabs together. */
const UNSEEN = 60_000;
/** News that come together are asked for together (ms). */
const TOGETHER = 80;
/** The pause (ms) after a refusal that passes: a room that is gone for a moment, a history that was replaced. */
const PAUSE = 2_000;

/**
 * Keeps what is shown of a room as the hub has it: folds the stream's frames into the kept answers, and after every
 * (re)connection asks again for what may have changed meanwhile. Ends with the function it gives.
 */
export function followLive(parts: LiveParts): () => void {
  const { hub, room, queries, onLine, onEnd } = parts;
  const { refresh, fold } = openFolds(parts);
  const stop = new AbortController();
  let line = new AbortController();
  let place: string | undefined;

  async function follow() {
    line = new AbortController();
    const signal = AbortSignal.any([stop.signal, line.signal]);
    const onChange = (change: "open" | object) => {
      onLine(change === "open" ? "open" : "lost");
      if (change === "open") refresh();
    };
    onLine("opening");
    try {
      for await (const frame of followStream(hub.connection, {
        room,
        after: place ?? "now",
        elsewhere: true,
        signal,
        onChange,
      })) {
        place = frame.id ?? place;
        fold(frame);
      }
    } catch (error) {
      if (signal.aborted) return undefined;
      onLine("lost");
      if (hasEnded(error)) return onEnd();
      // The history was replaced, or the room is not there: from now on then, with everything asked anew.
      place = undefined;
      if (error instanceof HubRefusal && error.code === "room_not_granted") return queries.invalidateQueries();
      setTimeout(() => !signal.aborted && void follow(), PAUSE);
    }
    return undefined;
  }

  const endWatching = whileSeen({ onUnseen: () => line.abort(), onSeen: () => line.signal.aborted && void follow() });
  void follow();
  return () => {
    endWatching();
    stop.abort();
  };
}

/** Tells when a tab has been out of sight for a while, and when it is seen again. */
function whileSeen({ onUnseen, onSeen }: { readonly onUnseen: () => void; readonly onSeen: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = setTimeout(onUnseen, UNSEEN);
    else onSeen();
  };
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    clearTimeout(timer);
  };
}

/** What news make of the kept answers. */
function openFolds({ hub, room, queries }: LiveParts) {
  const touch = openTouches(queries);
  const ofRoom = [
    keys.tasks,
    keys.anyTask,
    keys.members,
    keys.activity,
    keys.mentions,
    keys.mine,
    keys.threads,
    keys.files,
  ];

  function refresh() {
    touch(keys.rooms, keys.inbox, keys.replies, ...ofRoom.map((key) => key(room)));
    // Lost again: the next opening does it.
    catchUpMessages(hub, queries, room).catch(() => undefined);
  }

  function fold({ event, data }: StreamFrame) {
    const news = JSON.parse(data) as unknown; // the hub's own frame, of the kind that `event` says
    if (event === "chat") addMessage(queries, room, news as Message);
    else if (event === "rooms")
      for (const name of news as string[]) touch(keys.rooms, keys.mentions(name), keys.mine(name));
    else if (event === "question") touch(keys.inbox, keys.replies);
    else if (event === "activity") foldActivity(news as ActivityFrame);
  }

  function foldActivity({ kind, task_id, message_id, for_you }: ActivityFrame) {
    touch(keys.activity(room));
    if (for_you) touch(keys.mentions(room), keys.mine(room));
    if (kind === "message") touch(keys.threads(room));
    else if (kind === "message_retracted" && message_id) void refreshMessage(hub, queries, room, message_id);
    else if (task_id) touch(keys.tasks(room), keys.task(room, task_id), keys.mine(room));
    else touch(keys.rooms, keys.members(room), keys.files(room));
  }

  return { refresh, fold };
}

interface ActivityFrame {
  readonly kind: string;
  readonly task_id: number | null;
  readonly message_id: number | null;
  readonly for_you?: boolean;
}

/** Gives the function that marks answers as old, a few moments' news at a time. */
function openTouches(queries: QueryClient): (...touched: readonly (readonly unknown[])[]) => void {
  const waiting = new Map<string, readonly unknown[]>();
  return (...touched) => {
    if (waiting.size === 0) {
      setTimeout(() => {
        const keys = [...waiting.values()];
        waiting.clear();
        for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
      }, TOGETHER);
    }
    for (const key of touched) waiting.set(JSON.stringify(key), key);
  };
}
