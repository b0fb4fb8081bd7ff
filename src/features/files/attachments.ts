import { z } from "zod";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { RoomContext } from "../../core/operation.ts";
import { fileId } from "./file-fields.ts";
import { listLiveNumbers } from "./queries.ts";

/** Files of the room that belong to a message or a task. */
export const attachments = z.array(fileId).max(LIMITS.attachments);

/** How answers carry them: the numbers of those that are there now; left out where there are none. */
export const attached = z.array(z.int()).optional();

/** @throws HubError `file_not_found` for the first that is no file of the room now. Gives each once. */
export async function findAttachable(
  { tx, caller, room }: RoomContext,
  numbers: readonly number[] = [],
): Promise<number[]> {
  const wanted = [...new Set(numbers)].sort((a, b) => a - b);
  const live = new Set(await listLiveNumbers(tx, caller.organization, room.id, wanted));
  const missing = wanted.find((number) => !live.has(number));
  if (missing !== undefined) throw fail("file_not_found", { file: missing, room: room.name });
  return wanted;
}

/** For an answer: the files that are listed in a row and have not expired at `now` (ms). */
export function attachedAt(listed: string | null, now: number): { attachments?: number[] } {
  if (listed === null) return {};
  const live = entriesOf(listed).filter(({ expires }) => expires === null || expires > now);
  return live.length === 0 ? {} : { attachments: live.map(({ number }) => number) };
}

/** Every number that is listed in a row, whether it has expired or not. */
export function numbersListed(listed: string | null): number[] {
  return listed === null ? [] : entriesOf(listed).map(({ number }) => number);
}

/** As `attachment-queries.ts` lists them: a number, a colon, the moment it expires if it does. */
function entriesOf(listed: string): { number: number; expires: number | null }[] {
  return listed.split(",").map((entry) => {
    const [number, expires] = entry.split(":");
    return { number: Number(number), expires: expires ? Number(expires) : null };
  });
}
