import type { Migration } from "./migration.ts";

/** For looking among the newest texts of an organization first: SQLite has that order already, by its row ids. */
export const searchByPlace: Migration = {
  name: "0012-search-by-place",
  statements: [],
  postgres: [`create index search_by_place on search_index (organization, place)`],
};
