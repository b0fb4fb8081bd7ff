import { useEffect } from "react";
import { isPerson, useHub } from "../hub.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { markSeen, seenKey } from "../rooms/seen.ts";

/** Pages of news handed over at one look. */
const MOST_PAGES = 20;

/**
 * While a person looks at a room, what is new there counts as handed over: whoever named the person sees it in the receipts.
 * Told to the hub again with each new message.
 */
export function useTakeNote(room: string, newest: number | undefined) {
  const hub = useHub();
  const { data } = useRooms();
  const messages = data?.find(({ name }) => name === room)?.messages;
  useEffect(() => {
    if (messages !== undefined) markSeen(seenKey(hub, room), messages);
  }, [hub, room, messages]);
  useEffect(() => {
    if (newest === undefined || !isPerson(hub) || document.visibilityState === "hidden") return undefined;
    let isGone = false;
    const look = async () => {
      for (let page = 0; page < MOST_PAGES && !isGone; page += 1) {
        const { has_more } = await hub.call("whats_new", { room, limit: 200 });
        if (!has_more) return;
      }
    };
    // Not taking note is no harm: the next message tries again.
    void look().catch(() => undefined);
    return () => void (isGone = true);
  }, [hub, room, newest]);
}
