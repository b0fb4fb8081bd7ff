import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";

/** A text that can be found. `room` is its room's id, 0 for what belongs to none. */
export interface SearchKey {
  readonly organization: string;
  readonly kind: "answer";
  readonly room: number;
  readonly id: string;
}

/**
 * Who finds a text: `everyone` of the organization, a member (`@ann`), whoever may enter a room (`#3`). The index gives what may
 * be seen; whoever answers reads the rows themselves under their own condition.
 */
export type Finder = "everyone" | `@${string}` | `#${number}`;

/** What is kept of a text. `at`: ms since 1970, UTC; the newest is found first. */
export interface Indexed {
  readonly finders: readonly Finder[];
  readonly at: number;
  readonly text: string;
}

/** Makes a text findable, in the transaction that writes it; what was kept under the key is replaced. */
export async function indexText(tx: Tx, key: SearchKey, { finders, at, text }: Indexed): Promise<void> {
  await dropText(tx, key);
  const marks = [rowMark(key), ...finders.map((finder) => finderMark(key, finder))];
  const words = tx.search.kept([...marks, ...wordsOf(text, "searched")]);
  const { organization, kind, room, id } = key;
  await tx.run(sql`
    insert into search_index (organization, kind, room, id, at, words)
    values (${organization}, ${kind}, ${room}, ${id}, ${at}, ${words})`);
}

/** Takes a text out of the index. */
export async function dropText(tx: Tx, key: SearchKey): Promise<void> {
  await tx.run(sql`delete from search_index where ${tx.search.has({ which: "all", words: [rowMark(key)] })}`);
}

export interface TextQuery {
  readonly organization: string;
  readonly kind: SearchKey["kind"];
  /** As whom it is looked; there is at least one. */
  readonly finders: readonly Finder[];
  readonly words: readonly string[];
  readonly which: "all" | "any";
  /** Only those before this one. */
  readonly before?: { readonly at: number; readonly id: string } | undefined;
  readonly limit: number;
  /** The newest by their own moment, which pages need; or those that came last, which SQLite has at hand. */
  readonly first: "newest" | "latest";
}

export interface FoundText {
  readonly id: string;
  readonly at: number;
}

/** The first texts that have these words and that these may find. No words find nothing. */
export async function findTexts(tx: Tx, query: TextQuery): Promise<FoundText[]> {
  const { finders, words, which, before, limit, first } = query;
  if (words.length === 0) return [];
  const marks = finders.map((finder) => finderMark(query, finder));
  const earlier = before ? sql`and (at < ${before.at} or (at = ${before.at} and id < ${before.id}))` : sql.nothing;
  return tx.all<FoundText>(sql`
    select id, at
    from search_index
    where ${tx.search.has({ which: "any", words: marks }, { which, words })} ${earlier}
    order by ${first === "latest" ? tx.search.latestFirst : sql`at desc, id desc`}
    limit ${limit}`);
}

type Kind = Pick<SearchKey, "organization" | "kind">;

/** Marks stand among the words and have a sign that no text's word has, so nobody can write or ask for one. */
function rowMark({ organization, kind, room, id }: SearchKey): string {
  return `=${organization}=${kind}=${room}=${id}`;
}

function finderMark({ organization, kind }: Kind, finder: Finder): string {
  return `=${organization}=${kind}=${finder}`;
}
