import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { type Hub, isPerson, type Message, type Reply, type Task, useHub, type Waiting } from "../hub.ts";
import { keys } from "../keys.ts";
import { useRooms } from "../rooms/use-rooms.ts";
import { TEXTS } from "../texts.ts";
import { setCount } from "../ui/title.ts";
import { notify } from "./notices.ts";
import { isFresh, useSeenNews } from "./seen-news.ts";

/** Pages of a list that are asked for at most; what is beyond waits its turn. */
const MOST_PAGES = 5;
/** Rooms that are asked one by one what they have for the person. */
const MOST_ROOMS = 30;
const DAY = 86_400_000;
const REPLIES_SINCE = 14 * DAY;
const MENTIONS_SINCE = 7 * DAY;
/** A question may come while another room is followed on another line; the inbox is asked about anyhow (ms). */
const EVERY = 30_000;

export function useInbox() {
  const hub = useHub();
  return useQuery({
    queryKey: keys.inbox,
    queryFn: () => readInbox(hub),
    enabled: isPerson(hub),
    refetchInterval: EVERY,
    refetchIntervalInBackground: true,
  });
}

async function readInbox({ call }: Hub): Promise<readonly Waiting[]> {
  const found: Waiting[] = [];
  let since_id = 0;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { pending, next } = await call("check_inbox", { since_id });
    found.push(...pending);
    if (!next) break;
    ({ since_id } = next);
  }
  return found;
}

export function useReplies() {
  const hub = useHub();
  return useQuery({
    queryKey: keys.replies,
    queryFn: () => readReplies(hub),
    enabled: isPerson(hub),
    refetchInterval: EVERY,
    refetchIntervalInBackground: true,
  });
}

async function readReplies({ call }: Hub) {
  const first = await call("check_replies", { since: new Date(Date.now() - REPLIES_SINCE).toISOString() });
  const replies: Reply[] = [...first.replies];
  let { next } = first;
  for (let page = 1; next && page < MOST_PAGES; page += 1) {
    const more = await call("check_replies", next);
    replies.push(...more.replies);
    ({ next } = more);
  }
  return { replies: replies.toReversed(), waiting: first.waiting };
}

/** A message that names the person, with where it stands. */
export interface Mention extends Message {
  readonly room: string;
}

export function useMentions(): readonly Mention[] {
  const hub = useHub();
  const names = useRoomNames();
  const since = new Date(Date.now() - MENTIONS_SINCE).toISOString();
  return useQueries({
    queries: names.map((room) => ({
      queryKey: keys.mentions(room),
      queryFn: async (): Promise<readonly Mention[]> => {
        const { messages } = await hub.call("read_messages", { room, mentions_me: true, limit: 10 });
        return messages.filter(({ retracted }) => !retracted).map((message) => ({ ...message, room }));
      },
      enabled: isPerson(hub),
    })),
    combine: (answers) =>
      answers
        .flatMap(({ data = [] }) => data)
        .filter(({ ts }) => ts > since)
        .toSorted((a, b) => (a.ts < b.ts ? 1 : -1)),
  });
}

/** What the person holds, and what waits for its review, in every room. */
export function useMyTasks(): { readonly held: readonly Task[]; readonly reviews: readonly Task[] } {
  const hub = useHub();
  const names = useRoomNames();
  const { user_id } = hub.me;
  return useQueries({
    queries: names.map((room) => ({
      queryKey: keys.mine(room),
      queryFn: async (): Promise<readonly Task[]> => {
        const held = hub.call("list_tasks", { room, assignee: "me", status: "open" });
        const reviewed = hub.call("list_tasks", { room, status: "in_review" });
        return [...(await held).tasks, ...(await reviewed).tasks];
      },
      enabled: isPerson(hub),
    })),
    combine: (answers) => {
      const all = answers.flatMap(({ data = [] }) => data);
      return {
        held: all.filter((task) => task.assignee === user_id && task.status !== "in_review").toSorted(byLease),
        reviews: all.filter((task) => task.status === "in_review" && task.reviewer === user_id),
      };
    },
  });
}

/** What ends first comes first. */
function byLease(one: Task, other: Task): number {
  return (one.lease_ends_at ?? "9") < (other.lease_ends_at ?? "9") ? -1 : 1;
}

function useRoomNames(): readonly string[] {
  const { data } = useRooms();
  return useMemo(() => (data ?? []).slice(0, MOST_ROOMS).map(({ name }) => name), [data]);
}

/** How much waits for the person: questions, and what it has not yet looked at. */
export function useWaiting(): number {
  const inbox = useInbox();
  const replies = useReplies();
  const mentions = useMentions();
  const seen = useSeenNews();
  const freshReplies = replies.data?.replies.filter(({ told_at }) => isFresh(seen, "replies", told_at)) ?? [];
  const freshMentions = mentions.filter(({ ts }) => isFresh(seen, "mentions", ts));
  return (inbox.data?.length ?? 0) + freshReplies.length + freshMentions.length;
}

/** Shows that number on the tab, and tells when it grows. */
export function useWaitingCount() {
  const waits = useWaiting();
  const before = useRef(waits);
  useEffect(() => {
    setCount(waits);
    if (waits > before.current) notify(TEXTS.home.notified(waits));
    before.current = waits;
  }, [waits]);
}
