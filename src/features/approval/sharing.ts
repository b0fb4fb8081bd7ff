import { z } from "zod";
import { fail } from "../../core/errors.ts";
import type { Caller } from "../../core/operation.ts";
import type { Sharing } from "./model.ts";

/** With whom an answer is shared, as callers name it. */
export const share = z
  .string()
  .regex(/^(no|organization|room:[a-z0-9][a-z0-9_-]{0,63})$/, "must be no, organization, or room:<name>")
  .default("no");

/** @throws HubError `room_not_granted`: nobody shares with a room that it cannot enter. */
export function sharingNamed(caller: Caller, named: string): Sharing {
  if (named === "no" || named === "organization") return named;
  const name = named.slice("room:".length);
  const room = caller.rooms.get(name);
  if (!room) throw fail("room_not_granted", { room: name, rooms: [...caller.rooms.keys()] });
  return { room: room.id };
}

/** A page offers so many rooms to choose from. */
const MOST_ROOMS = 50;

/** What a person can choose from. */
export function sharesFor(caller: Caller): string[] {
  return ["no", "organization", ...[...caller.rooms.keys()].slice(0, MOST_ROOMS).map((name) => `room:${name}`)];
}
