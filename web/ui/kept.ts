import { useSyncExternalStore } from "react";

/** Something that this browser keeps for the person before it, and shows anew when it changes. No secrets. */
export interface Kept<Value> {
  get(): Value;
  set(value: Value): void;
  /** The value as it is now. */
  use(): Value;
}

/** @param usual  what holds where nothing is kept, or the browser keeps nothing. Kept fields lie over it. */
export function openKept<Value extends object>(name: string, usual: Value): Kept<Value> {
  const listeners = new Set<() => void>();
  let value = read(name, usual);
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next) {
      value = next;
      try {
        localStorage.setItem(name, JSON.stringify(next));
      } catch {
        // Then it holds for as long as the page is open.
      }
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}

function read<Value extends object>(name: string, usual: Value): Value {
  try {
    return { ...usual, ...(JSON.parse(localStorage.getItem(name) ?? "{}") as Partial<Value>) };
  } catch {
    return usual; // nothing can be read, or it is none of ours
  }
}
