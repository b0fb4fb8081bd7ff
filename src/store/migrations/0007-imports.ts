import type { Migration } from "./migration.ts";

/** What was brought over from another system: what each thing was there, and what it is here. So an import can be run again. */
export const imports: Migration = {
  name: "0007-imports",
  statements: [
    // `source`: which database it came from. `room`: for what is numbered within one.
    `create table imported (
      organization text not null references organizations (id),
      source text not null,
      kind text not null,
      old text not null,
      room bigint,
      new text not null,
      at bigint not null,
      primary key (organization, source, kind, old)
    )`,
  ],
};
