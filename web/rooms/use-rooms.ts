import { useQuery } from "@tanstack/react-query";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";

/** How often (ms) rooms that nobody looks at are asked about: the stream follows one of them. */
const EVERY = 10_000;
/** So many rooms are shown in the list; an organization may have a thousand. */
const MOST = 200;

export function useRooms() {
  const { call } = useHub();
  return useQuery({
    queryKey: keys.rooms,
    queryFn: () => call("list_rooms", { limit: MOST }),
    refetchInterval: EVERY,
  });
}
