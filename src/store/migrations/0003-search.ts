import type { Migration } from "./migration.ts";

/**
 * What can be searched, a row for each text: FTS5's own table, or a `tsvector` with its index. The words are cut by
 * `store/words.ts`; among them stand some that no text can hold, which say whose the row is: see `features/search/queries.ts`.
 */
export const search: Migration = {
  name: "0003-search",
  statements: [],
  sqlite: [
    `create virtual table search_index using fts5 (
      words, organization unindexed, kind unindexed, room unindexed, id unindexed, at unindexed,
      detail = none, tokenize = "ascii tokenchars '_-.:/@=#'"
    )`,
  ],
  postgres: [
    `create table search_index (
      organization text not null,
      kind text not null,
      room bigint not null,
      id text not null,
      at bigint not null,
      words tsvector not null,
      primary key (organization, kind, room, id)
    )`,
    `create index search_by_words on search_index using gin (words)`,
  ],
};
