import type { Migration } from "./migration.ts";

/** Persons with their ways in, questions with their drafts and approvals, and what the sign-in by browser keeps. */
export const peopleAndQuestions: Migration = {
  name: "0002-people-and-questions",
  statements: [
    // What a person has besides being a member. `exposed_at`: since when the password is known to have passed through a tool.
    `create table persons (
      organization text not null,
      handle text not null,
      role text not null,
      password_hash text,
      password_set_at bigint,
      exposed_at bigint,
      ownership text not null default '[]',
      notes text not null default '',
      profile_notes text not null default '',
      primary key (organization, handle),
      foreign key (organization, handle) references members (organization, handle)
    )`,

    `create table person_rooms (
      organization text not null,
      person text not null,
      room bigint not null,
      primary key (organization, person, room),
      foreign key (organization, person) references persons (organization, handle),
      foreign key (organization, room) references rooms (organization, id) on delete cascade
    )`,
    `create index person_rooms_of_room on person_rooms (organization, room)`,

    // What a link lets its bearer do. `purpose`: `join` makes a person, `password` sets the password of the person it names.
    `create table invitations (
      organization text not null,
      id text not null,
      hash text not null unique,
      purpose text not null,
      handle text,
      display_name text not null default '',
      role text not null,
      question text,
      created_at bigint not null,
      created_by text not null,
      expires_at bigint not null,
      used_at bigint,
      used_by text,
      revoked_at bigint,
      primary key (organization, id)
    )`,
    `create index invitations_open on invitations (organization, created_by) where used_at is null and revoked_at is null`,

    // A removed one is kept: what was signed with it can still be checked.
    `create table passkeys (
      organization text not null,
      person text not null,
      id text not null,
      public_key text not null,
      counter bigint not null,
      transports text not null default '',
      label text not null default '',
      created_at bigint not null,
      last_used_at bigint,
      removed_at bigint,
      primary key (organization, id),
      foreign key (organization, person) references persons (organization, handle)
    )`,
    `create index passkeys_of_person on passkeys (organization, person)`,

    // `draft`: the revision that counts now; null when there is none. What leaves is `answer`, written once. `told_at`: when
    // its asker last had news of it; no two of an organization are alike, and later ones are greater.
    `create table questions (
      organization text not null,
      number bigint not null,
      asker text not null,
      recipient text not null,
      asked_by text not null,
      question text not null,
      options text not null default '[]',
      state text not null,
      thread bigint not null,
      follows bigint,
      draft bigint,
      last_draft bigint not null default 0,
      created_at bigint not null,
      expires_at bigint not null,
      closed_at bigint,
      closed_by text,
      reason text not null default '',
      answer text,
      answered_at bigint,
      told_at bigint,
      approval text,
      shared text not null default 'no',
      shared_room bigint,
      primary key (organization, number),
      foreign key (organization, asker) references members (organization, handle),
      foreign key (organization, recipient) references members (organization, handle),
      foreign key (organization, follows) references questions (organization, number)
    )`,
    `create index questions_waiting on questions (organization, recipient, expires_at, number) where closed_at is null`,
    `create index questions_asked on questions (organization, asker, expires_at, number) where closed_at is null`,
    `create index questions_told on questions (organization, asker, told_at)`,
    `create unique index questions_told_at on questions (organization, told_at) where told_at is not null`,
    `create index questions_of_recipient on questions (organization, recipient, asker)`,
    `create index questions_between on questions (organization, asker, recipient, closed_at)`,
    `create index questions_open on questions (organization, expires_at) where closed_at is null`,
    `create index questions_of_thread on questions (organization, thread, number)`,

    `create table drafts (
      organization text not null,
      question bigint not null,
      revision bigint not null,
      recipient text not null,
      text text not null,
      written_by text not null,
      at bigint not null,
      primary key (organization, question, revision),
      foreign key (organization, question) references questions (organization, number)
    )`,

    // One request to approve one draft. state: open, approved, rejected, void. hash binds all that is approved.
    `create table approvals (
      organization text not null,
      id text not null,
      question bigint not null,
      revision bigint not null,
      person text not null,
      hash text not null,
      nonce text not null,
      state text not null,
      requested_by text not null,
      requested_at bigint not null,
      shown_at bigint,
      expires_at bigint not null,
      level text,
      decided_at bigint,
      decided_by text,
      decided_with text,
      reason text not null default '',
      proof text,
      primary key (organization, id),
      foreign key (organization, question, revision) references drafts (organization, question, revision)
    )`,
    `create unique index approvals_open on approvals (organization, question) where state = 'open'`,
    `create index approvals_of_person on approvals (organization, person, state, question)`,
    `create index approvals_of_question on approvals (organization, question, revision)`,

    // Which events of the organization one member alone may see: the log's rows, by reader.
    `create table personal_events (
      organization text not null,
      member text not null,
      position bigint not null,
      primary key (organization, member, position),
      foreign key (organization, position) references events (organization, position)
    )`,

    // When a question's news were handed to whom it waited for, or to that one's agent, first.
    `create table question_receipts (
      organization text not null,
      question bigint not null,
      member text not null,
      handed_over_at bigint not null,
      handed_over_path text not null,
      handed_over_session text not null,
      primary key (organization, question, member),
      foreign key (organization, question) references questions (organization, number)
    )`,

    // What the authorization server keeps; id is the SHA-256 of the secret. Exempt from "one write, one event".
    `create table oauth_records (
      kind text not null,
      id text not null,
      payload text not null,
      grant_id text,
      uid text,
      expires_at bigint,
      consumed_at bigint,
      primary key (kind, id)
    )`,
    `create index oauth_of_grant on oauth_records (grant_id) where grant_id is not null`,
    `create index oauth_of_uid on oauth_records (kind, uid) where uid is not null`,
    `create index oauth_by_age on oauth_records (expires_at) where expires_at is not null`,
  ],
};
