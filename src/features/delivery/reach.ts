import { z } from "zod";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { Tx } from "../../store/store.ts";
import type { Refusal } from "../wakes/model.ts";
import { listPaused } from "../wakes/queries.ts";
import { livePaths, type Reach, reachOf } from "./queries.ts";
import { listStandings, type Standing } from "./standing-queries.ts";

/** Why something does not come to a member soon: what holds for longest goes before the rest. */
const WHY_NOT = ["revoked", "not_granted", "wake_chain", "wake_budget", "away"] as const;
type WhyNot = (typeof WHY_NOT)[number];

/**
 * How somebody is reached now. `paths`: live within the last minute; `pull_only`: it reads when it asks, and nothing wakes it;
 * `why_not`: why it is not woken, or not reached at all.
 */
export const reachFields = {
  paths: z.array(z.string()),
  last_seen: isoMoment.nullable(),
  pull_only: z.literal(true).optional(),
  why_not: z.enum(WHY_NOT).optional(),
};
export interface ReachAnswer {
  paths: string[];
  last_seen: string | null;
  pull_only?: true;
  why_not?: WhyNot;
}

/** Whom something was sent to a moment ago. That no path is live says by itself that it is away. */
export async function reachOfMembers(
  tx: Tx,
  organization: string,
  members: readonly string[],
): Promise<(member: string) => ReachAnswer> {
  const reach = await livePaths(tx, organization, members);
  const paused = await listPaused(tx, organization, members);
  return (member) => toAnswer(reach.get(member), pauseOf(paused.get(member)));
}

/** The same of persons, each with its own agents. */
export async function reachOfPersons(
  tx: Tx,
  organization: string,
  persons: readonly string[],
): Promise<(person: string) => ReachAnswer> {
  const reach = await reachOf(tx, organization, persons);
  return (person) => toAnswer(reach.get(person), undefined);
}

/** The same for receipts, of what may have been sent long ago to somebody who is there no more. */
export async function reachOfAddressees(
  tx: Tx,
  organization: string,
  room: number,
  members: readonly string[],
): Promise<(member: string) => ReachAnswer> {
  const reach = await livePaths(tx, organization, members);
  const paused = await listPaused(tx, organization, members);
  const standings = new Map((await listStandings(tx, organization, room, members)).map((one) => [one.member, one]));
  return (member) => {
    const isAway = (reach.get(member)?.paths ?? []).length === 0;
    const why = barOf(standings.get(member)) ?? pauseOf(paused.get(member)) ?? (isAway ? "away" : undefined);
    return toAnswer(reach.get(member), why);
  };
}

function barOf(standing: Standing | undefined): WhyNot | undefined {
  if (!standing || standing.is_there === 0) return "revoked";
  return standing.may_enter === 0 ? "not_granted" : undefined;
}

function pauseOf(refused: Refusal | undefined): WhyNot | undefined {
  if (refused === "chain") return "wake_chain";
  return refused === "budget" ? "wake_budget" : undefined;
}

function toAnswer({ paths, last_seen }: Reach = { paths: [], last_seen: null }, why: WhyNot | undefined): ReachAnswer {
  return {
    paths,
    last_seen: toIso(last_seen),
    ...(paths.length > 0 && paths.every((path) => path === "tool") && { pull_only: true as const }),
    ...(why !== undefined && { why_not: why }),
  };
}
