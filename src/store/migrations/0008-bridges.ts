import type { Migration } from "./migration.ts";

/** What follows the log from a place of its own, the hooks that events leave and come in by, and how persons are told. */
export const bridges: Migration = {
  name: "0008-bridges",
  statements: [
    // Follows a room, or every room, or with `member` what is told to that person alone. `position`: all up to there is done.
    // `held_by`: the process that works on it until `held_until`, so that no other does. `retry_at`: not before then.
    `create table followers (
      organization text not null references organizations (id),
      kind text not null,
      id text not null,
      room bigint,
      member text,
      position bigint not null,
      failures integer not null default 0,
      failing_since bigint,
      retry_at bigint,
      held_by text,
      held_until bigint,
      primary key (organization, kind, id)
    )`,

    // direction: out, in. form: standard, plain, github. `secret` is sealed: it is used, not only compared.
    `create table hooks (
      organization text not null,
      id text not null unique,
      direction text not null,
      form text not null,
      room bigint,
      kinds text not null default '',
      url text not null default '',
      secret text,
      member text,
      finishes integer not null default 0,
      label text not null default '',
      created_at bigint not null,
      created_by text not null,
      last_problem text,
      disabled_at bigint,
      disabled_reason text,
      primary key (organization, id),
      foreign key (organization, room) references rooms (organization, id) on delete cascade,
      foreign key (organization, member) references members (organization, handle)
    )`,
    `create index hooks_of_room on hooks (organization, room)`,

    // How a person who is away is told that something waits. channel: ntfy, slack, web_push. `address` is sealed: whoever
    // knows it can send there. `shown` is its host.
    `create table notices (
      organization text not null,
      id text not null,
      person text not null,
      channel text not null,
      address text not null,
      shown text not null,
      label text not null default '',
      created_at bigint not null,
      last_problem text,
      disabled_at bigint,
      disabled_reason text,
      primary key (organization, id),
      foreign key (organization, person) references persons (organization, handle)
    )`,
    `create index notices_of_person on notices (organization, person)`,
  ],
};
