import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Value } from "./actor.ts";

/** One frame of the stream. */
export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Value;
}

export interface TestStream extends AsyncDisposable {
  readonly status: number;
  /** The next frame of this kind; frames of other kinds before it are passed over. Throws when the stream ends first. */
  next(event: string): Promise<Frame>;
  /** The same for a frame of any of these kinds. */
  nextOf(events: readonly string[]): Promise<Frame>;
  /** Waits until the server has ended the stream. */
  ended(): Promise<void>;
  /** Comment lines so far. */
  readonly comments: readonly string[];
}

/** Follows `/v1/stream` as a member of the cast; `query` begins with a question mark. */
export async function followStream(
  hub: { url: string; token(handle: string): string },
  handle: string,
  query = "",
  headers: Record<string, string> = {},
): Promise<TestStream> {
  const control = new AbortController();
  const response = await fetch(`${hub.url}/v1/stream${query}`, {
    headers: { authorization: `Bearer ${hub.token(handle)}`, ...headers },
    signal: control.signal,
  });
  const frames: Frame[] = [];
  const comments: string[] = [];
  let done = false;
  let wake: () => void = () => undefined;
  const parser = createParser({
    onEvent: ({ event = "message", id, data }: EventSourceMessage) =>
      void frames.push({ event, id, data: JSON.parse(data) as Value }),
    onComment: (comment) => void comments.push(comment),
  });

  async function read() {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      wake();
    }
  }
  const reading = read()
    .catch(() => undefined) // cut, by us or by the server: either way it has ended
    .finally(() => {
      done = true;
      wake();
    });

  async function nextOf(events: readonly string[]): Promise<Frame> {
    for (;;) {
      const frame = frames.shift();
      if (frame && events.includes(frame.event)) return frame;
      if (frame) continue;
      if (done) throw new Error(`The stream ended before a frame "${events.join()}".`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    status: response.status,
    comments,
    next: (event) => nextOf([event]),
    nextOf,
    ended: () => reading,
    async [Symbol.asyncDispose]() {
      control.abort();
      await reading;
    },
  };
}
