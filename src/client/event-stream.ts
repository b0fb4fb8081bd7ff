import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Connection, HubRefusal, HubUnreachable, reach, refusalOf } from "./hub-client.ts";

/** One frame: `event` is its kind (`activity`, `chat`, `question`, `board`, `files`), `data` its JSON, `id` the place after it. */
export interface StreamFrame {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

export interface FollowOptions {
  readonly room?: string | undefined;
  /** Where to begin: `now`, `all`, an event's id or a cursor; the hub's choice if left out. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether to be told, in `rooms` frames, of the names of other rooms in which something happened. */
  readonly elsewhere?: boolean | undefined;
  /** Whether the board and the files come again, as `board` and `files` frames, after each change. */
  readonly snapshots?: boolean | undefined;
  /** Told when the stream opens, and when it is lost with the time (ms) until the next try. */
  readonly onChange?: ((change: "open" | { lost: string; retryIn: number }) => void) | undefined;
}

/** The hub sends something every 15 s; a line silent for three times that (ms) is dead, whatever the network says. */
const DEAD_AFTER = 45_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** In characters; the hub's own frames are far below. */
const LONGEST_FRAME = 8 * 1024 * 1024;

/**
 * Follows a room's events, oldest first, then live, over cuts and restarts, until `signal` aborts. After a cut it goes on
 * where it was: nothing is missed, and only a message whose `activity` frame was cut off may come again.
 *
 * @throws HubRefusal when the hub refuses for good: credential, room, or a history that was replaced (`epoch_changed`).
 * @source Resuming by `Last-Event-ID`: HTML Living Standard, "Server-sent events".
 */
export async function* followStream(connection: Connection, options: FollowOptions = {}): AsyncGenerator<StreamFrame> {
  const { signal, onChange } = options;
  let lastId: string | undefined;
  let failures = 0;
  let pause = FIRST_PAUSE;
  while (!signal?.aborted) {
    try {
      for await (const news of openOnce(connection, options, lastId)) {
        if ("open" in news) onChange?.("open");
        else if ("pause" in news) pause = news.pause;
        else if ("place" in news) lastId = news.place;
        else {
          failures = 0;
          yield news;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isWorthAnotherTry(error)) throw error;
      failures += 1;
      const retryIn = pauseBefore(failures, pause, error);
      onChange?.({ lost: error instanceof Error ? error.message : String(error), retryIn });
      await sleep(retryIn, signal);
    }
  }
}

/** What a connection brings: that it opened, the pause (ms) the hub asks for, the reader's place before a frame, the frame. */
type News = { open: true } | { pause: number } | { place: string } | StreamFrame;

/** One connection. Always ends by throwing. */
async function* openOnce(
  connection: Connection,
  options: FollowOptions,
  lastId: string | undefined,
): AsyncGenerator<News> {
  const line = new AbortController();
  const hangUp = () => line.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", hangUp, { once: true });
  let watchdog = setTimeout(() => line.abort(new HubUnreachable("The stream fell silent.")), DEAD_AFTER);
  try {
    const response = await reach(connection, pathOf(options), {
      headers: { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) },
      signal: line.signal,
    });
    if (!response.ok || !response.body) throw await refusalOf(connection, response);
    yield { open: true };
    const news: News[] = [];
    const parser = createParser({
      onId: (place) => void news.push({ place }),
      onEvent: ({ event = "message", data, id }: EventSourceMessage) => void news.push({ event, data, id }),
      onRetry: (ms) => void news.push({ pause: Math.min(ms, LONGEST_PAUSE) }),
      maxBufferSize: LONGEST_FRAME,
    });
    for await (const chunk of piecesOf(response.body)) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => line.abort(new HubUnreachable("The stream fell silent.")), DEAD_AFTER);
      parser.feed(chunk);
      yield* news.splice(0);
    }
    throw new HubUnreachable("The hub ended the stream.");
  } finally {
    clearTimeout(watchdog);
    options.signal?.removeEventListener("abort", hangUp);
    line.abort();
  }
}

/** What comes over a line, as text. Not every browser goes through its streams with `for await`. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.releaseLock();
  }
}

function pathOf({ room, after, elsewhere, snapshots }: FollowOptions): string {
  const query = new URLSearchParams({
    ...(room !== undefined && { room }),
    ...(after !== undefined && { after }),
    ...(elsewhere && { elsewhere: "1" }),
    ...(snapshots && { snapshots: "1" }),
  });
  return query.size > 0 ? `/v1/stream?${query.toString()}` : "/v1/stream";
}

/** What passes by itself: a restart, a busy hub, a cut line. */
function isWorthAnotherTry(error: unknown): boolean {
  return !(error instanceof HubRefusal) || error.status === 429 || error.status >= 500;
}

/** Doubles with each failure and is spread at random, so that a restarted hub is not met by all at once. */
function pauseBefore(failures: number, first: number, error: unknown): number {
  const asked = error instanceof HubRefusal ? Number(error.data["seconds"] ?? 0) * 1_000 : 0;
  const most = Math.min(first * 2 ** Math.min(failures - 1, 10), LONGEST_PAUSE);
  return Math.max(asked, Math.round(most / 2 + (Math.random() * most) / 2));
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
