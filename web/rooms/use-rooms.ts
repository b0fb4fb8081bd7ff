import { useQuery } from "@tanstack/react-query";
import { type Room, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { readPages } from "../ui/read-pages.ts";

/** How often (ms) rooms are asked about that the stream says nothing of: those made or granted since it began. */
const EVERY = 10_000;

/** Every room that the viewer may enter, by name. */
export function useRooms() {
  const { call } = useHub();
  return useQuery({
    queryKey: keys.rooms,
    queryFn: () =>
      readPages<Room, string>(async (after = "") => {
        const { rooms: items, next } = await call("list_rooms", { after, limit: 200 });
        return { items, next };
      }),
    refetchInterval: EVERY,
  });
}
