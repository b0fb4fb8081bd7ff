import { useSyncExternalStore } from "react";

/** How many messages each room had when it was last looked at here, so that one with more stands out. No secret. */
const KEPT_AS = "crewroom-seen";
const listeners = new Set<() => void>();
let seen: Readonly<Record<string, number>> = read();

function read(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Record<string, number>;
  } catch {
    return {};
  }
}

export function markSeen(key: string, messages: number) {
  if (seen[key] === messages) return;
  seen = { ...seen, [key]: messages };
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(seen));
  } catch {
    // Then it holds for as long as the page is open.
  }
  for (const listener of listeners) listener();
}

export function useSeen(): Readonly<Record<string, number>> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => seen,
  );
}
