import type { ServerResponse } from "node:http";
import { LIMITS } from "../core/limits.ts";
import { KEEPALIVE } from "./stream-frames.ts";

/** One stream's way out. */
export interface Sink {
  /** Settles when the text is on its way and there is room for more; false once the reader is gone or was cut off. */
  write(text: string): Promise<boolean>;
  end(): void;
}

export interface SinkTimes {
  readonly keepaliveMs: number;
  readonly stallMs: number;
}

export const USUAL_TIMES: SinkTimes = {
  keepaliveMs: LIMITS.streamKeepaliveSeconds * 1_000,
  stallMs: LIMITS.streamStallSeconds * 1_000,
};

interface Open {
  readonly outgoing: ServerResponse;
  lastWrite: number;
}

/**
 * Gives streams their way out. A reader that does not drain is not written to: what it missed waits in the log, so what is
 * buffered for it stays within one piece of text beyond Node's own mark. One timer keeps all idle streams alive.
 */
export function openSinks({ keepaliveMs, stallMs }: SinkTimes = USUAL_TIMES) {
  const all = new Set<Open>();
  const timer = setInterval(keepAlive, Math.max(10, keepaliveMs / 15));
  timer.unref();

  function keepAlive() {
    const now = performance.now();
    for (const stream of all) {
      if (now - stream.lastWrite < keepaliveMs || stream.outgoing.writableLength > 0) continue;
      stream.lastWrite = now;
      stream.outgoing.write(KEEPALIVE);
    }
  }

  async function write(stream: Open, text: string): Promise<boolean> {
    const { outgoing } = stream;
    for (const piece of piecesOf(text)) {
      if (outgoing.destroyed || outgoing.writableEnded) return false;
      stream.lastWrite = performance.now();
      if (!(await taken(outgoing, piece, stallMs))) return false;
    }
    return !outgoing.destroyed;
  }

  return {
    open(outgoing: ServerResponse): Sink {
      const stream: Open = { outgoing, lastWrite: performance.now() };
      all.add(stream);
      return {
        write: (text) => write(stream, text),
        end() {
          all.delete(stream);
          outgoing.end();
        },
      };
    },
    close: () => clearInterval(timer),
  };
}

/** A page may be larger than what may be buffered; it goes out in pieces (of UTF-16 units, at most three bytes each). */
const PIECE = LIMITS.streamBufferBytes / 4;

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE, text.length);
    // Never between the halves of a surrogate pair: each would be written as a replacement character.
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * Writes a piece. False when the reader is gone, or did not take it within `patience` ms: then it is cut off, and may resume.
 *
 * Waits for the write's own end, not for `drain`: measured, one in some ten thousand of Node's large writes never emits it.
 */
export function taken(outgoing: ServerResponse, piece: string | Uint8Array, patience: number): Promise<boolean> | true {
  let flushed: (whole: boolean) => void = () => undefined;
  if (outgoing.write(piece, (error) => flushed(!error))) return true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), patience);
    const onClose = () => flushed(false);
    flushed = (whole) => {
      clearTimeout(timer);
      outgoing.off("close", onClose);
      resolve(whole);
    };
    outgoing.once("close", onClose);
  });
}
