import { type Sql, sql } from "./sql.ts";

/**
 * How a database keeps and finds the words of a text, as pieces of SQL over the table `search_index`; its column `words` takes
 * what `kept` gives. Words come from `wordsOf`, so that both databases see the same ones.
 */
export interface SearchDialect {
  /** What stands in `words`. */
  kept(words: readonly string[]): Sql;
  /** A condition on `search_index`: it has every one of `musts`, and every or any one of `words`. */
  has(musts: readonly string[], words?: readonly string[], which?: "all" | "any"): Sql;
}

/** FTS5: the words with spaces between them; its tokenizer does nothing but cut there. */
export const SQLITE_SEARCH: SearchDialect = {
  kept: (words) => sql`${words.join(" ")}`,
  has: (...asked) => sql`search_index match ${expressionOf(FTS5, ...asked)}`,
};

/** `tsvector`, made of the words themselves and of no dictionary's. */
export const POSTGRES_SEARCH: SearchDialect = {
  kept: (words) => sql`array_to_tsvector(string_to_array(${words.join(" ")}, ' '))`,
  has: (...asked) => sql`words @@ cast(${expressionOf(TSQUERY, ...asked)} as tsquery)`,
};

/** Words have letters, digits and the signs within identifiers: none of either database's quotes. */
const FTS5 = { quote: '"', all: " AND ", any: " OR " } as const;
const TSQUERY = { quote: "'", all: " & ", any: " | " } as const;

function expressionOf(
  signs: Readonly<Record<"quote" | "all" | "any", string>>,
  musts: readonly string[],
  words: readonly string[] = [],
  which: "all" | "any" = "all",
): string {
  const quote = (word: string) => signs.quote + word + signs.quote;
  const asked = words.length === 0 ? [] : [`(${words.map(quote).join(signs[which])})`];
  return [...musts.map(quote), ...asked].join(signs.all);
}
