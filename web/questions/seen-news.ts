import { openKept } from "../ui/kept.ts";

/** Until when (ISO) a person has looked at its answers and mentions, in this browser. */
export interface SeenNews {
  readonly replies: string;
  readonly mentions: string;
}

const seen = openKept<SeenNews>("crewroom-news", { replies: "", mentions: "" });

export const useSeenNews = seen.use;
export const isFresh = (known: SeenNews, what: keyof SeenNews, at: string): boolean => at > known[what];

export function markNewsSeen(what: keyof SeenNews, at: string | undefined) {
  if (at !== undefined && at > seen.get()[what]) seen.set({ ...seen.get(), [what]: at });
}
