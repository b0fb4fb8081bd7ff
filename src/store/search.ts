import { type Sql, sql } from "./sql.ts";

/**
 * How a database keeps and finds the words of a text, as pieces of SQL over the table `search_index`; its column `words` takes
 * what `kept` gives. Words come from `wordsOf`, so that both databases see the same ones.
 */
export interface SearchDialect {
  /** What stands in `words`. */
  kept(words: readonly string[]): Sql;
  /** A condition on `search_index`: of each group of words it has all, or any. No group is empty. */
  has(...groups: readonly WordGroup[]): Sql;
  /**
   * The column by which found texts are ordered and paged: greater for what was written later. On SQLite it is the row's own id,
   * so that the newest are at hand without sorting, however many have the words.
   */
  readonly place: Sql;
  /**
   * So many of the newest texts are looked at first, one by one: 0 where the index itself gives the newest first. Postgres would find and sort
   * all that have a common word.
   */
  readonly newestFirst: number;
}
export interface WordGroup {
  readonly which: "all" | "any";
  readonly words: readonly string[];
}

/** FTS5: the words with spaces between them; its tokenizer does nothing but cut there. */
export const SQLITE_SEARCH: SearchDialect = {
  kept: (words) => sql`${words.join(" ")}`,
  has: (...groups) => sql`search_index match ${expressionOf(groups, FTS5)}`,
  place: sql`rowid`,
  newestFirst: 0,
};

/** `tsvector`, made of the words themselves and of no dictionary's. */
export const POSTGRES_SEARCH: SearchDialect = {
  kept: (words) => sql`array_to_tsvector(string_to_array(${words.join(" ")}, ' '))`,
  has: (...groups) => sql`words @@ cast(${expressionOf(groups, TSQUERY)} as tsquery)`,
  place: sql`place`,
  newestFirst: 1_000,
};

/** Words have letters, digits and the signs within identifiers: none of either database's quotes. */
const FTS5 = { quote: '"', all: " AND ", any: " OR " } as const;
const TSQUERY = { quote: "'", all: " & ", any: " | " } as const;

function expressionOf(groups: readonly WordGroup[], signs: Readonly<Record<"quote" | "all" | "any", string>>): string {
  return groups
    .map(({ which, words }) => `(${words.map((word) => signs.quote + word + signs.quote).join(signs[which])})`)
    .join(signs.all);
}
