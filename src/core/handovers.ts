/** A stretch of the log: what lies after `from`, up to and with `to`; to the end of the log when `to` is null. */
export interface Stretch {
  readonly from: number;
  readonly to: number | null;
}

/** How a stretch is handed out. */
export interface Handout {
  readonly from: number;
  readonly to: number;
  /** Written out is not enough: it is confirmed by the reader's acknowledgement only. */
  readonly byAck?: boolean;
  /** When (ms since 1970) it counts as lost if nobody said by then whether it was written out. */
  readonly until: number;
}

/**
 * What this process has handed out to readers and does not know to have arrived, by reader's place. It lives and dies with
 * the process: what a dead one handed out is not in here, and is handed out again.
 */
export interface Handovers {
  /**
   * What lies after `position` and is neither under way nor written out, in order. The last stretch has no end.
   *
   * @param elsewhere  what another process has under way.
   */
  open(place: string, position: number, now: number, elsewhere?: Handout): Stretch[];
  /** Notes that a stretch is under way. Call what it gives with true once the answer was written out whole, with false when it was cut. */
  take(place: string, handout: Handout): (written: boolean) => void;
  /** How far everything after `position` was written out. `withoutAck`: what waits for an acknowledgement counts too. */
  writtenUpTo(place: string, position: number, withoutAck: boolean): number;
  /** The reader acknowledged up to `position`: what was written out beyond waits for nothing more and is open again. */
  acknowledge(place: string, position: number): void;
  /** Drops what is confirmed. */
  forget(place: string, position: number): void;
  /** Places that something is remembered of. */
  readonly size: number;
}

interface Taken extends Handout {
  written: boolean;
}

/** Places remembered at most. What is forgotten is handed out again, so that nothing is lost. */
const MOST_PLACES = 10_000;

export function openHandovers(): Handovers {
  const places = new Map<string, Taken[]>();

  function keep(place: string, stretches: Taken[]) {
    places.delete(place);
    if (stretches.length > 0)
      places.set(
        place,
        stretches.sort((a, b) => a.from - b.from),
      );
    if (places.size > MOST_PLACES) for (const oldest of places.keys()) if (places.delete(oldest)) break;
  }
  function drop(place: string, which: (taken: Taken) => boolean) {
    const stretches = places.get(place);
    if (stretches?.some(which))
      keep(
        place,
        stretches.filter((taken) => !which(taken)),
      );
  }

  return {
    open(place, position, now, elsewhere) {
      drop(place, (taken) => !taken.written && taken.until <= now);
      return gapsAfter(position, [...(places.get(place) ?? []), ...(elsewhere ? [elsewhere] : [])]);
    },
    take(place, handout) {
      const taken: Taken = { ...handout, written: false };
      keep(place, [...(places.get(place) ?? []), taken]);
      return (written) => {
        if (written) taken.written = true;
        else drop(place, (other) => other === taken);
      };
    },
    writtenUpTo: (place, position, withoutAck) => endOfWritten(position, places.get(place) ?? [], withoutAck),
    acknowledge(place, position) {
      drop(place, (taken) => taken.written && taken.byAck === true && taken.to > position);
    },
    forget(place, position) {
      drop(place, (taken) => taken.to <= position);
    },
    get size() {
      return places.size;
    },
  };
}

function gapsAfter(position: number, taken: readonly Handout[]): Stretch[] {
  const gaps: Stretch[] = [];
  let end = position;
  for (const { from, to } of taken.toSorted((a, b) => a.from - b.from)) {
    if (from > end) gaps.push({ from: end, to: from });
    end = Math.max(end, to);
  }
  return [...gaps, { from: end, to: null }];
}

function endOfWritten(position: number, taken: readonly Taken[], withoutAck: boolean): number {
  let end = position;
  for (const { from, to, written, byAck } of taken) {
    if (to <= end) continue;
    if (from > end || !written || (byAck && !withoutAck)) break;
    end = to;
  }
  return end;
}
