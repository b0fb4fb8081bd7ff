import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { RoomContext } from "../../core/operation.ts";
import { mentionsIn } from "../chat/mentions.ts";
import { listMembersInRoom } from "../rooms/queries.ts";
import type { TaskRow } from "./queries.ts";

/**
 * The handles that these fields name: `me` is the caller, an empty text nobody, undefined stays undefined.
 *
 * @throws HubError `member_not_found` for one who cannot enter the room.
 */
export async function findPeople<Field extends string>(
  { tx, caller, room }: RoomContext,
  fields: Readonly<Record<Field, string | undefined>>,
): Promise<Record<Field, string | null | undefined>> {
  const entries = Object.entries<string | undefined>(fields).map(
    ([field, given]) => [field, handleOf(given, caller.handle)] as const,
  );
  const handles = [...new Set(entries.map(([, handle]) => handle).filter((handle) => typeof handle === "string"))];
  const others = handles.filter((handle) => handle !== caller.handle);
  const known = new Set(await listMembersInRoom(tx, caller.organization, room.id, others));
  const stranger = others.find((handle) => !known.has(handle));
  if (stranger !== undefined) throw fail("member_not_found", { member: stranger, room: room.name });
  return Object.fromEntries(entries) as Record<Field, string | null | undefined>; // one entry for each field
}

/** Whom an event about a task is for: those given who are somebody, the caller apart. */
export function concerned({ caller }: RoomContext, handles: readonly (string | null | undefined)[]): string[] {
  return [...new Set(handles)].filter((handle) => typeof handle === "string" && handle !== caller.handle) as string[];
}

/** Who is told of a task's every change of status. */
export function peopleOf({ created_by, responsible, assignee, reviewer }: TaskRow): (string | null)[] {
  return [created_by, responsible, assignee, reviewer];
}

/** The members of the room whom a text names with `@`. */
export async function listNamed({ tx, caller, room }: RoomContext, text: string): Promise<string[]> {
  const { handles } = mentionsIn(text);
  return listMembersInRoom(tx, caller.organization, room.id, handles.slice(0, LIMITS.mentionsPerMessage));
}

function handleOf(given: string | undefined, me: string): string | null | undefined {
  if (given === undefined) return undefined;
  if (given === "") return null;
  return given === "me" ? me : given;
}
