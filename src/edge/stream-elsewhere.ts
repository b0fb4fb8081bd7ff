import { listLiveGrants } from "../access/queries.ts";
import type { Caller, RoomRef } from "../core/operation.ts";
import type { Store } from "../store/store.ts";
import { frame } from "./stream-frames.ts";
import type { StreamReaders } from "./stream-pages.ts";

/** Tells of the other rooms, once after each wake. */
export interface Elsewhere {
  /** A frame with the names of those in which something happened since it was asked last; empty when in none. */
  news(): Promise<string>;
}

/**
 * With `elsewhere=1` a stream also says in which of the caller's other rooms something happened, and nothing of what: whoever
 * shows several rooms asks about those. The frame has no id, so a reader that was cut off asks about all of them.
 *
 * @param after  position from which on it tells.
 */
export function openElsewhere(
  store: Store,
  { movedRooms }: Pick<StreamReaders, "movedRooms">,
  { caller, room }: { readonly caller: Caller; readonly room: RoomRef },
  after: number,
): Elsewhere {
  let seen = after;
  return {
    async news() {
      const { organization, credential, allRooms } = caller;
      const { moved, granted } = await store.read(async (tx) => ({
        moved: await movedRooms(tx, organization, seen),
        // What was granted when the stream began may have been taken away since.
        granted: (await listLiveGrants(tx, organization, [credential])).get(credential),
      }));
      seen = Math.max(seen, ...moved.map(({ position }) => position));
      const names = [...caller.rooms.values()].filter(
        ({ id }) => id !== room.id && (allRooms || granted?.has(id)) && moved.some((one) => one.room === id),
      );
      return names.length === 0
        ? ""
        : frame(
            "rooms",
            names.map(({ name }) => name),
          );
    },
  };
}
