import { useSyncExternalStore } from "react";

/** How often (ms) times that are shown move on. */
const TICK = 1_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** What `derive` makes of the time (ms); shown anew only when that changes. */
export function useClock<Shown extends string | number | boolean>(derive: (now: number) => Shown): Shown {
  return useSyncExternalStore(subscribe, () => {
    if (listeners.size === 0) now = Date.now();
    return derive(now);
  });
}
