/**
 * A wake-up carries the chain of what led to it: an agent's act after a wake-up is one hop further than what it was woken
 * for. A longer chain than this wakes nobody, until a person acts.
 */
export const MOST_HOPS = 8;

/** How long (ms) a wake-up counts, for its chain and for its agent's budget. */
export const COUNTED_MS = 3_600_000;

/**
 * Why a session is not woken. `nothing_new`: the session was woken or shown all of it already, or did it itself. `chain`: agents
 * wake each other in a circle. `budget`: the agent was woken too often within the hour.
 */
export const REFUSALS = ["nothing_new", "chain", "budget"] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What is known when a session is to be woken. */
export interface Asked {
  /** How far the chain of each cause has come; 0 for what no wake-up led to. */
  readonly chains: readonly number[];
  /** How often the agent was woken within the hour, and how often it may be; 0 for as often as it comes. */
  readonly used: number;
  readonly budget: number;
}

/** Whether a session may be woken, and how far the chain has come with it. The shortest of several causes counts. */
export function decideWake({ chains, used, budget }: Asked): { readonly hops: number } | { readonly refused: Refusal } {
  if (chains.length === 0) return { refused: "nothing_new" };
  const hops = Math.min(...chains) + 1;
  if (hops > MOST_HOPS) return { refused: "chain" };
  return budget > 0 && used >= budget ? { refused: "budget" } : { hops };
}
