import type { WordGroup } from "../../store/search.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";

/** What can be found in a room; its rows go with the room. */
export const ROOM_KINDS = ["message", "task", "note", "file"] as const;
/** How many kinds there are: those, and answers. */
const KINDS = ROOM_KINDS.length + 1;
export type TextKind = (typeof ROOM_KINDS)[number] | "answer";

/** A text that can be found. `room` is its room's id, 0 for what belongs to none. */
export interface SearchKey {
  readonly organization: string;
  readonly kind: TextKind;
  readonly room: number;
  readonly id: string;
}

/**
 * Who finds a text: `everyone` of the organization, a member (`@ann`), whoever may enter a room (`#3`), whoever may enter every
 * room (`rooms`). The index gives what may be seen; whoever answers reads the rows themselves under their own condition.
 */
export type Finder = "everyone" | "rooms" | `@${string}` | `#${number}`;

/** What is kept of a text. `place`: where it stands among the others, when that is not after all of them. */
export interface Indexed {
  readonly finders: readonly Finder[];
  readonly text: string;
  readonly place?: number;
}

/**
 * Makes a new text findable in the transaction that writes it, as the newest. It is left for the end of the commit: FTS5 writes a
 * segment of its index for each savepoint, and Postgres takes all texts of a commit in one statement.
 */
export function addText(tx: Tx, key: SearchKey, indexed: Indexed): void {
  tx.atEnd(writeChanges, { add: [key, indexed] });
}

/** The same for a text that was findable: what was kept under the key is replaced. */
export function indexText(tx: Tx, key: SearchKey, indexed: Indexed): void {
  tx.atEnd(writeChanges, { drop: isRow([key]), add: [key, indexed] });
}

/** Takes texts out of the index. */
export function dropTexts(tx: Tx, keys: readonly SearchKey[]): void {
  if (keys.length > 0) tx.atEnd(writeChanges, { drop: isRow(keys) });
}

/** Takes everything that was written in a room out of the index. */
export function dropRoomTexts(tx: Tx, organization: string, room: number): void {
  const inRoom = { which: "all", words: [finderMark({ organization }, `#${room}`)] } as const;
  const kinds = { which: "any", words: ROOM_KINDS.map((kind) => kindMark({ organization, kind })) } as const;
  tx.atEnd(writeChanges, { drop: [inRoom, kinds] });
}

/** Takes everything of an organization out of the index. */
export function dropOrganizationTexts(tx: Tx, organization: string): void {
  const words = [...ROOM_KINDS, "answer" as const].map((kind) => kindMark({ organization, kind }));
  tx.atEnd(writeChanges, { drop: [{ which: "any", words }] });
}

interface Change {
  /** The rows that have these marks are dropped first. */
  readonly drop?: readonly WordGroup[];
  readonly add?: readonly [SearchKey, Indexed];
}

/** In their order, so that what one call added another may drop. */
async function writeChanges(tx: Tx, changes: readonly Change[]): Promise<void> {
  let waiting: (readonly [SearchKey, Indexed])[] = [];
  for (const { drop, add } of changes) {
    if (drop) {
      await insertTexts(tx, waiting);
      waiting = [];
      await tx.run(sql`delete from search_index where ${tx.search.has(...drop)}`);
    }
    if (add) waiting.push(add);
  }
  await insertTexts(tx, waiting);
}

/** One statement takes at most so many rows. */
const MOST_ROWS = 500;

async function insertTexts(tx: Tx, texts: readonly (readonly [SearchKey, Indexed])[]): Promise<void> {
  const placed = texts.filter(([, { place }]) => place !== undefined);
  const newest = texts.filter(([, { place }]) => place === undefined);
  for (let from = 0; from < newest.length; from += MOST_ROWS)
    await tx.run(sql`
      insert into search_index (organization, kind, room, id, words)
      values ${sql.join(newest.slice(from, from + MOST_ROWS).map(([key, indexed]) => sql`(${rowOf(tx, key, indexed)})`))}`);
  for (let from = 0; from < placed.length; from += MOST_ROWS)
    await tx.run(sql`
      insert into search_index (${tx.search.place}, organization, kind, room, id, words)
      values ${sql.join(
        placed
          .slice(from, from + MOST_ROWS)
          .map(([key, indexed]) => sql`(${indexed.place ?? 0}, ${rowOf(tx, key, indexed)})`),
      )}`);
}

function rowOf(tx: Tx, key: SearchKey, { finders, text }: Indexed): Sql {
  const { organization, kind, room, id } = key;
  const marks = [rowMark(key), kindMark(key), ...finders.map((finder) => finderMark(key, finder))];
  const words = tx.search.kept([...marks, ...wordsOf(text, "searched")]);
  return sql`${organization}, ${kind}, ${room}, ${id}, ${words}`;
}

/** Where a text stands among the others; undefined when it is not kept. */
export async function findPlace(tx: Tx, key: SearchKey): Promise<number | undefined> {
  const row = await tx.one<{ place: number }>(sql`
    select ${tx.search.place} as place
    from search_index
    where ${tx.search.has(...isRow([key]))}`);
  return row?.place;
}

export interface TextQuery {
  readonly organization: string;
  readonly kinds: readonly TextKind[];
  /** As whom it is looked; none finds nothing. */
  readonly finders: readonly Finder[];
  readonly words: readonly string[];
  readonly which: "all" | "any";
  /** Only what is older than this place. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface FoundText {
  readonly kind: TextKind;
  readonly room: number;
  readonly id: string;
  readonly place: number;
}

/** The newest texts that have these words and that these may find. No words find nothing. */
export async function findTexts(tx: Tx, query: TextQuery): Promise<FoundText[]> {
  const { kinds, finders, words, which, before, limit } = query;
  if (words.length === 0 || finders.length === 0 || kinds.length === 0) return [];
  const marks = finders.map((finder) => finderMark(query, finder));
  const ofKinds = kinds.map((kind) => kindMark({ ...query, kind }));
  const { place, has, newestFirst } = tx.search;
  // Each group costs a walk through all that have its words, so none that everything has is asked for.
  const narrowed = kinds.length < KINDS ? [{ which: "any", words: ofKinds } as const] : [];
  const asked = has({ which, words }, ...narrowed, { which: "any", words: marks });
  const earlier = before === undefined ? sql.nothing : sql`and ${place} < ${before}`;
  if (newestFirst > 0) {
    // A common word is among the newest texts; of a rare one there is not much to sort.
    const found = await tx.all<FoundText>(sql`
      with newest as materialized (
        select kind, room, id, place, words
        from search_index
        where organization = ${query.organization} ${earlier}
        order by place desc
        limit ${newestFirst})
      select kind, room, id, place
      from newest
      where ${asked}
      order by place desc
      limit ${limit}`);
    if (found.length >= limit) return found;
  }
  return tx.all<FoundText>(sql`
    select kind, room, id, ${place} as place
    from search_index
    where ${asked} ${earlier}
    order by ${place} desc
    limit ${limit}`);
}

/** Marks stand among the words and have a sign that no text's word has, so nobody can write or ask for one. */
function rowMark({ organization, kind, room, id }: SearchKey): string {
  return `=${organization}=${kind}=${room}=${id}`;
}

function isRow(keys: readonly SearchKey[]): readonly WordGroup[] {
  return [{ which: "any", words: keys.map(rowMark) }];
}

function kindMark({ organization, kind }: Pick<SearchKey, "organization" | "kind">): string {
  return `=${organization}=${kind}`;
}

function finderMark({ organization }: Pick<SearchKey, "organization">, finder: Finder): string {
  return `=${organization}=${finder}`;
}
