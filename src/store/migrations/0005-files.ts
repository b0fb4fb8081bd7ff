import type { Migration } from "./migration.ts";

/** Files, their bytes in parts of a table of their own, and what they are attached to. `expires_at`: gone from then on. */
export const files: Migration = {
  name: "0005-files",
  statements: [
    `create table files (
      organization text not null,
      room bigint not null,
      number bigint not null,
      name text not null,
      mime text not null,
      size bigint not null,
      sha256 text not null,
      author text not null,
      at bigint not null,
      expires_at bigint,
      primary key (organization, room, number),
      foreign key (organization, room) references rooms (organization, id) on delete cascade
    )`,
    // What an organization has in all is summed up from it for each new file.
    `create index files_of_organization on files (organization, size)`,
    `create index files_expiring on files (organization, expires_at) where expires_at is not null`,

    // How many files are attached: most tasks and messages have none, and are read without looking further.
    `alter table tasks add column attached integer not null default 0`,
    `alter table messages add column attached integer not null default 0`,

    `create table task_files (
      organization text not null,
      room bigint not null,
      task bigint not null,
      file bigint not null,
      primary key (organization, room, task, file),
      foreign key (organization, room, task) references tasks (organization, room, number) on delete cascade,
      foreign key (organization, room, file) references files (organization, room, number) on delete cascade
    )`,
    `create index task_files_of_file on task_files (organization, room, file)`,

    `create table message_files (
      organization text not null,
      room bigint not null,
      message bigint not null,
      file bigint not null,
      primary key (organization, room, message, file),
      foreign key (organization, room, message) references messages (organization, room, number) on delete cascade,
      foreign key (organization, room, file) references files (organization, room, number) on delete cascade
    )`,
    `create index message_files_of_file on message_files (organization, room, file)`,
  ],
  sqlite: [partsTable("blob")],
  // Files are mostly compressed already; trying again costs time.
  postgres: [partsTable("bytea"), `alter table file_parts alter column bytes set storage external`],
};

/** Each part has a digest of its own, so that it is checked as it goes out. */
function partsTable(bytes: "blob" | "bytea"): string {
  return `create table file_parts (
      organization text not null,
      room bigint not null,
      file bigint not null,
      part integer not null,
      sha256 text not null,
      bytes ${bytes} not null,
      primary key (organization, room, file, part),
      foreign key (organization, room, file) references files (organization, room, number) on delete cascade
    )`;
}
