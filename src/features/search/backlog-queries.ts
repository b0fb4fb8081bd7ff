import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { findableAnswer } from "./answer-queries.ts";
import { addText, dropTexts, type Indexed, type SearchKey, type TextKind } from "./queries.ts";
import { ofRoom, taskText } from "./room-texts.ts";

/** Texts that one transaction makes findable. */
const PAGE = 200;

interface Waiting {
  readonly place: number;
  readonly organization: string;
  readonly kind: TextKind;
  readonly room: number;
  readonly number: number;
  readonly part: number;
}

/** The newest texts that are not findable yet, all of one organization; none when everything is. */
export async function listBacklog(tx: Tx): Promise<Waiting[]> {
  const rows = await tx.all<Waiting>(sql`
    select place, organization, kind, room, number, part
    from search_backlog
    order by organization, place desc
    limit ${PAGE}`);
  return rows.filter(({ organization }) => organization === rows[0]?.organization);
}

/** Makes these texts findable, each at its place and as it is now, and takes them off the list. */
export async function indexBacklog(tx: Tx, waiting: readonly Waiting[]): Promise<void> {
  const texts: (readonly [SearchKey, Indexed])[] = [];
  // From the oldest on: FTS5 takes growing row ids together.
  for (const { place, ...one } of waiting.toReversed()) {
    const found = await readOne(tx, one);
    if (found) texts.push([found[0], { ...found[1], place }]);
  }
  // What was changed meanwhile stands among the newest already.
  const keys = texts.map(([key]) => key);
  dropTexts(tx, keys);
  for (const [key, indexed] of texts) addText(tx, key, indexed);
  const places = sql.list(waiting.map(({ place }) => place));
  await tx.run(sql`
    delete from search_backlog
    where organization = ${waiting[0]?.organization ?? ""} and place in (${places})`);
}

async function readOne(
  tx: Tx,
  { organization, kind, room, number, part }: Omit<Waiting, "place">,
): Promise<readonly [SearchKey, Indexed] | undefined> {
  if (kind === "answer") return readAnswered(tx, organization, number);
  const id = part === 0 ? String(number) : `${number}.${part}`;
  const text = await TEXTS[kind](tx, organization, { room, number, part });
  return text === undefined ? undefined : [{ organization, kind, room, id }, ofRoom(room, text)];
}

type Where = Pick<Waiting, "room" | "number" | "part">;

const TEXTS: Readonly<
  Record<Exclude<TextKind, "answer">, (tx: Tx, organization: string, where: Where) => Promise<string | undefined>>
> = {
  async message(tx, organization, { room, number }) {
    const row = await tx.one<{ body: string }>(sql`
      select body
      from messages
      where organization = ${organization} and room = ${room} and number = ${number} and retracted_at is null`);
    return row?.body;
  },
  async task(tx, organization, { room, number }) {
    const row = await tx.one<{ title: string; body: string; labels: string }>(sql`
      select title, body, labels
      from tasks
      where organization = ${organization} and room = ${room} and number = ${number}`);
    return row && taskText(row);
  },
  async note(tx, organization, { room, number, part }) {
    const row = await tx.one<{ body: string }>(sql`
      select body
      from notes
      where organization = ${organization} and room = ${room} and task = ${number} and number = ${part}`);
    return row?.body;
  },
  async file(tx, organization, { room, number }) {
    const row = await tx.one<{ name: string }>(sql`
      select name
      from files
      where organization = ${organization} and room = ${room} and number = ${number}`);
    return row?.name;
  },
};

interface AnsweredRow {
  readonly asker: string;
  readonly recipient: string;
  readonly question: string;
  readonly answer: string;
  readonly shared: "no" | "organization" | "room";
  readonly shared_room: number | null;
}

async function readAnswered(tx: Tx, organization: string, number: number) {
  const row = await tx.one<AnsweredRow>(sql`
    select asker, recipient, question, answer, shared, shared_room
    from questions
    where organization = ${organization} and number = ${number} and state = 'answered'`);
  if (!row) return undefined;
  const { shared, shared_room, ...texts } = row;
  const sharing = shared === "room" ? { room: shared_room ?? 0 } : shared;
  return findableAnswer({ organization, number, ...texts, shared: sharing });
}
