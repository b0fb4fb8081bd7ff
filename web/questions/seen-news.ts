import { useSyncExternalStore } from "react";

/** Until when (ISO) a person has looked at its answers and mentions, in this browser. */
export interface SeenNews {
  readonly replies: string;
  readonly mentions: string;
}

const KEPT_AS = "crewroom-news";
const listeners = new Set<() => void>();
let seen: SeenNews = read();

function read(): SeenNews {
  const nothing = { replies: "", mentions: "" };
  try {
    return { ...nothing, ...(JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<SeenNews>) };
  } catch {
    return nothing;
  }
}

export function useSeenNews(): SeenNews {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => seen,
  );
}

export const isFresh = (known: SeenNews, what: keyof SeenNews, at: string): boolean => at > known[what];

export function markNewsSeen(what: keyof SeenNews, at: string | undefined) {
  if (at === undefined || at <= seen[what]) return;
  seen = { ...seen, [what]: at };
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(seen));
  } catch {
    // Then it holds for as long as the page is open.
  }
  for (const listener of listeners) listener();
}
