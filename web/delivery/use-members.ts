import { useQuery } from "@tanstack/react-query";
import { type Hub, type Member, useHub } from "../hub.ts";
import { keys } from "../keys.ts";

const MOST_PAGES = 5;
/** Paths are leases that end without an event, so they are asked about anew (ms). */
const EVERY = 30_000;

/** Who can enter a room, with how each can be reached. */
export function useMembers(room: string) {
  const hub = useHub();
  return useQuery({ queryKey: keys.members(room), queryFn: () => readMembers(hub, room), refetchInterval: EVERY });
}

async function readMembers({ call }: Hub, room: string): Promise<readonly Member[]> {
  const members: Member[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { agents, next } = await call("list_agents", { room, limit: 200, ...(after !== undefined && { after }) });
    members.push(...agents);
    if (!next) break;
    ({ after } = next);
  }
  return members;
}
