import { cutText } from "../../core/event-log.ts";
import type { LoggedEvent } from "../../core/events.ts";
import { fitPage } from "../../core/limits.ts";
import type { Tx } from "../../store/store.ts";
import { listMessagesByNumbers } from "../chat/queries.ts";
import { attachedAt } from "../files/attachments.ts";
import type { NewsItem } from "./catch-up-answer.ts";
import { listMentionEvents } from "./catch-up-queries.ts";
import { toEventAnswer } from "./event-answer.ts";
import type { Followed, NewsQuery } from "./places.ts";
import type { PlaceRow } from "./queries.ts";
import { countAhead, scanBackward } from "./scan.ts";

/** Where a session stands that is shown what is new without having asked. */
export interface ShownStand extends Followed {
  /** Undefined while nothing was ever handed out. */
  readonly row: PlaceRow | undefined;
  /** Acknowledged with this call; undefined when nothing is. */
  readonly acked: number | undefined;
  /** News begin behind it. */
  readonly from: number;
}

/** The newest of what others did. `unread` and `forYou` count what there is, as far as it is counted. */
export interface Newest {
  readonly items: readonly NewsItem[];
  readonly unread: number;
  readonly capped: boolean;
  readonly forYou: number;
  /** All of it was looked at: what is behind the place is own activity. */
  readonly ended: boolean;
  /** So much of that was passed over that it is worth moving the place. */
  readonly far: boolean;
}

/** The newest so many are looked at, and of what is for the reader so many older ones. */
const MOST_LOOKED_AT = 200;
/** More than these does not fit into what a hook prints at once. Texts are cut at so many code points. */
const FOR_READER = { most: 10, text: 2_000 };
const FOR_OTHERS = { most: 25, text: 400 };

export async function readNewest(tx: Tx, stand: ShownStand, bytes: number): Promise<Newest> {
  const { news, from } = stand;
  const scan = await scanBackward(tx, { ...news, after: from, limit: MOST_LOOKED_AT });
  const before = scan.events[0]?.position;
  const older = scan.ended || before === undefined ? undefined : await readOlder(tx, news, from, before);
  const forReader = [...(older?.mentions ?? []), ...scan.events.filter(isFor(news))];
  const others = scan.events.filter((event) => !isFor(news)(event));
  // First to stay where it gets too much: what is for the reader, then the newest of the rest.
  const chosen = [...newest(forReader, FOR_READER.most), ...newest(others, FOR_OTHERS.most)];
  const items = await writeItems(tx, stand, chosen);
  const { page } = fitPage(items, items.length, bytes, 0);
  return {
    items: page.toSorted((a, b) => a.id - b.id),
    unread: scan.events.length + (older?.count ?? 0),
    capped: older?.capped ?? false,
    forYou: forReader.length,
    ended: scan.ended,
    far: scan.steps > 0,
  };
}

/** What is further back than what is looked at: how much, and what of it names the reader. */
async function readOlder(tx: Tx, news: NewsQuery, after: number, before: number) {
  const { organization, room, notBy: member } = news;
  const { count, capped } = await countAhead(tx, { ...news, after, before });
  const query = { organization, room: room ?? 0, member, after, before, limit: MOST_LOOKED_AT };
  return { count, capped, mentions: (await listMentionEvents(tx, query)).toReversed() };
}

function isFor({ notBy: reader }: NewsQuery) {
  return ({ concerns }: LoggedEvent) => concerns.includes(reader);
}

function newest(events: readonly LoggedEvent[], most: number): LoggedEvent[] {
  return events.slice(-most).toReversed();
}

/** Events with the texts of their messages. */
async function writeItems(tx: Tx, { news, row }: ShownStand, events: readonly LoggedEvent[]): Promise<NewsItem[]> {
  const { organization, room, notBy: reader } = news;
  const numbers = events.flatMap(({ kind, message }) => (kind === "message" && message !== null ? [message] : []));
  const messages = numbers.length === 0 ? [] : await listMessagesByNumbers(tx, organization, room ?? 0, numbers);
  const rows = new Map(messages.map((message) => [message.number, message]));
  return events.map((event) => {
    const forReader = isFor(news)(event);
    const message = event.kind === "message" ? rows.get(event.message ?? 0) : undefined;
    const text = message?.body ?? event.detail;
    const cut = cutText(text, forReader ? FOR_READER.text : FOR_OTHERS.text);
    return {
      ...toEventAnswer(event, reader),
      detail: cut,
      ...(message && attachedAt(message.files, tx.now)),
      ...(cut.length < text.length && { cut: Array.from(text.slice(cut.length)).length }),
      ...(forReader && { for_you: true as const }),
      ...(row && event.position <= row.offered && { again: true as const }),
    };
  });
}
