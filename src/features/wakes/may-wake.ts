import { appendEvents, HUB, readHead } from "../../core/event-log.ts";
import type { NewEvent } from "../../core/events.ts";
import type { Caller, RoomRef, RuleSettings } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { decideWake, MOST_HOPS, type Refusal } from "./model.ts";
import {
  type Cause,
  countWakes,
  findPersonsAct,
  findRefusal,
  findSeen,
  insertWake,
  listCauses,
  listOwners,
  type Sleeper,
} from "./queries.ts";

/** Where a wake-up is asked for. */
export interface WakeContext {
  readonly tx: Tx;
  readonly caller: Caller;
  readonly room: RoomRef;
  readonly settings: Pick<RuleSettings, "wakesPerHour">;
}

/** What came of it. `hops`: how far the chain has come. */
export type Wake = { readonly hops: number } | { readonly refused: Refusal };

/** At most so many causes are looked at; the newest. */
export const MOST_CAUSES = 50;
/** Stands for a person's questions where a wake-up has a room. */
const ME = 0;
/** The further refusals of a pause share one row. */
const LATER = 0;

/**
 * Decides whether the caller's session is woken for these events, and notes it: what the caller does from then on carries the
 * chain on. A refusal is told once, in the room and to the owner; nothing is taken from the log.
 *
 * @param asked  positions; what the caller may not know of, or did itself, is no cause.
 */
export async function decideAndNote(context: WakeContext, asked: readonly number[]): Promise<Wake> {
  const { tx, caller, settings } = context;
  const sleeper = sleeperOf(context);
  const causes = await listNewCauses(tx, sleeper, asked);
  const chains = await chainsOf(tx, sleeper, causes);
  const used = causes.length === 0 ? 0 : await usedBy(tx, sleeper);
  const decided = decideWake({ chains, used, budget: settings.wakesPerHour });
  const newest = causes.at(-1);
  if (!newest) return decided;
  const { position: head } = await readHead(tx, caller.organization);
  if ("refused" in decided) await tellOnce(context, sleeper, newest, decided.refused, head);
  else
    for (const [room, ofRoom] of Map.groupBy(causes, (cause) => cause.room ?? ME)) {
      const upTo = ofRoom.at(-1)?.position ?? 0;
      await insertWake(tx, sleeper, { room, upTo, head, hops: decided.hops, refused: null });
    }
  return decided;
}

function sleeperOf({ caller, room }: Pick<WakeContext, "caller" | "room">): Sleeper {
  const { organization, handle: member, person, session, path, credential } = caller;
  return { organization, member, person, session, path, credential, room: room.id };
}

/** Without what the session was woken for, or shown, by whatever path. */
async function listNewCauses(tx: Tx, sleeper: Sleeper, asked: readonly number[]): Promise<Cause[]> {
  const newest = [...asked].sort((a, b) => a - b).slice(-MOST_CAUSES);
  const causes = (await listCauses(tx, sleeper, newest)).filter(({ kind }) => kind !== "wakes_paused");
  const seen = new Map<number, number>();
  for (const room of new Set(causes.map((cause) => cause.room ?? ME)))
    seen.set(room, await findSeen(tx, sleeper, room));
  return causes.filter(({ room, position }) => position > (seen.get(room ?? ME) ?? 0));
}

/** How many wake-ups led to each of what a session is to be woken for: none when a person has acted since the last of them. */
async function chainsOf(tx: Tx, sleeper: Sleeper, causes: readonly Cause[]): Promise<number[]> {
  const acts = new Map<number | null, number>();
  for (const [room, ofRoom] of Map.groupBy(causes, (cause) => cause.room)) {
    const woken = ofRoom.flatMap(({ woken_at }) => woken_at ?? []);
    const act = woken.length === 0 ? undefined : await findPersonsAct(tx, sleeper, room, Math.min(...woken));
    if (act !== undefined) acts.set(room, act);
  }
  return causes.map(({ room, woken_at, hops }) => {
    if (woken_at === null || hops === null) return 0;
    return (acts.get(room) ?? 0) > woken_at ? 0 : hops;
  });
}

/** How often the member was woken within the hour, or since a person acted in the room. */
async function usedBy(tx: Tx, sleeper: Sleeper): Promise<number> {
  const { used, oldest } = await countWakes(tx, sleeper);
  if (used === 0) return 0;
  const act = await findPersonsAct(tx, sleeper, sleeper.room, oldest);
  return act === undefined ? used : (await countWakes(tx, sleeper, act - 1)).used;
}

/** A pause begins with its first refusal; the others of it are silent. */
async function tellOnce(context: WakeContext, sleeper: Sleeper, cause: Cause, refused: Refusal, head: number) {
  const { tx, caller } = context;
  const room = cause.room ?? ME;
  const told = await findRefusal(tx, sleeper, room, refused);
  const isOver = told !== undefined && (await findPersonsAct(tx, sleeper, cause.room, told)) !== undefined;
  const isFirst = told === undefined || isOver;
  await insertWake(tx, sleeper, { room, upTo: isFirst ? cause.position : LATER, head, hops: MOST_HOPS, refused });
  // Who cannot act closes no circle, and what a read-only credential asks for changes nothing in a room.
  if (!isFirst || !caller.roles.has("write")) return;
  const owners = await listOwners(tx, caller.organization, [caller.handle, cause.actor]);
  appendEvents(tx, caller.organization, HUB, [toPaused(context, cause, refused, owners)]);
}

function toPaused({ caller, settings }: WakeContext, cause: Cause, refused: Refusal, owners: string[]): NewEvent {
  const { room, question } = cause;
  const why =
    refused === "chain"
      ? `${MOST_HOPS} wake-ups in a chain, the last by ${cause.actor}`
      : `woken ${settings.wakesPerHour} times within the hour`;
  const told = { kind: "wakes_paused", detail: `${caller.handle}: ${why}`, concerns: owners } as const;
  if (room !== null) return { ...told, room };
  return { ...told, ...(question !== null && { question }), only: [caller.person ?? caller.handle] };
}
