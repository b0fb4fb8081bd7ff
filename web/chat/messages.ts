import type { QueryClient } from "@tanstack/react-query";
import type { Hub, Message } from "../hub.ts";
import { keys } from "../keys.ts";

/** The messages of a room that are here, oldest first and without a gap. */
export interface Chat {
  readonly messages: readonly Message[];
  readonly hasOlder: boolean;
}

const PAGE = 60;
/** Messages that came while nobody was connected are fetched one by one up to so many; beyond, the chat begins anew. */
const MOST_MISSED = 600;

type Calls = Pick<Hub, "call">;

/** What came by the stream while the first page was under way: the page may have been read before it was written. */
const meanwhile = new Map<string, Message[]>();

export async function readLatest({ call }: Calls, room: string): Promise<Chat> {
  const came: Message[] = [];
  meanwhile.set(room, came);
  const { messages, has_more } = await call("read_messages", { room, limit: PAGE });
  if (meanwhile.get(room) === came) meanwhile.delete(room);
  return { messages: merge(messages, came), hasOlder: has_more };
}

/** Fetches the page before the oldest message that is here. */
export async function readOlder({ call }: Calls, queries: QueryClient, room: string): Promise<void> {
  const [oldest] = queries.getQueryData<Chat>(keys.messages(room))?.messages ?? [];
  if (!oldest) return;
  const { messages, has_more } = await call("read_messages", { room, before_id: oldest.id, limit: PAGE });
  update(queries, room, (chat) => ({ messages: merge(messages, chat.messages), hasOlder: has_more }));
}

/** Puts a message that just came to the others. */
export function addMessage(queries: QueryClient, room: string, message: Message) {
  meanwhile.get(room)?.push(message);
  update(queries, room, (chat) => ({ ...chat, messages: merge(chat.messages, [message]) }));
}

/** Asks for what came since the newest message that is here. */
export async function catchUpMessages({ call }: Calls, queries: QueryClient, room: string): Promise<void> {
  const chat = queries.getQueryData<Chat>(keys.messages(room));
  if (!chat) return;
  let since = chat.messages.at(-1)?.id ?? 0;
  for (let missed = 0; missed < MOST_MISSED; missed += PAGE) {
    const page = await call("read_messages", { room, since_id: since, limit: PAGE });
    update(queries, room, (kept) => ({ ...kept, messages: merge(kept.messages, page.messages) }));
    since = page.messages.at(-1)?.id ?? since;
    if (!page.has_more) return;
  }
  queries.setQueryData(keys.messages(room), await readLatest({ call }, room));
}

/** Asks for one message anew: its author took it back. */
export async function refreshMessage({ call }: Calls, queries: QueryClient, room: string, id: number): Promise<void> {
  const { messages } = await call("read_messages", { room, since_id: id - 1, limit: 1 });
  update(queries, room, (chat) => ({
    ...chat,
    messages: chat.messages.map((known) => messages.find((fresh) => fresh.id === known.id) ?? known),
  }));
  await queries.invalidateQueries({ queryKey: keys.threads(room) });
}

function update(queries: QueryClient, room: string, change: (chat: Chat) => Chat) {
  queries.setQueryData<Chat>(keys.messages(room), (chat) => chat && change(chat));
}

/** Both lists as one, each message once, in the order of their numbers; what stands in the second counts. */
export function merge(one: readonly Message[], other: readonly Message[]): readonly Message[] {
  const [first] = other;
  const last = one.at(-1);
  if (!first) return one;
  if (!last || last.id < first.id) return [...one, ...other];
  const byId = new Map([...one, ...other].map((message) => [message.id, message]));
  return [...byId.values()].sort((a, b) => a.id - b.id);
}
