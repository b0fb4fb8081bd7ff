import type { Hub } from "../hub.ts";
import { openKept } from "../ui/kept.ts";

/** How many messages each room had when it was last looked at here, so that one with more stands out. */
const seen = openKept<Readonly<Record<string, number>>>("crewroom-seen", {});

export const useSeen = seen.use;

export function markSeen(key: string, messages: number) {
  if (seen.get()[key] !== messages) seen.set({ ...seen.get(), [key]: messages });
}

/** Which room of whom: several people may use one browser. */
export const seenKey = ({ me }: Pick<Hub, "me">, room: string): string => `${me.org_id}/${me.user_id}/${room}`;
