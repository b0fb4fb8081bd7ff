import type { Migration } from "./migration.ts";

/**
 * The first schema. Every table has the organization in its keys, so that a reference across organizations cannot be stored.
 * Moments are integers: ms since 1970, UTC. A moment stands instead of a boolean where there is one (`revoked_at`).
 */
export const firstTables: Migration = {
  name: "0001-first-tables",
  statements: [
    `create table instance (
      name text primary key,
      value text not null
    )`,

    `create table organizations (
      id text primary key,
      name text not null,
      minimum_assurance text not null default 'confirmed',
      invitations_by text not null default 'admins',
      created_at bigint not null
    )`,

    // One hot row per organization: the log's counter, apart from what is seldom changed.
    `create table logs (
      organization text primary key references organizations (id),
      epoch text not null,
      position bigint not null,
      last_room bigint not null,
      last_question bigint not null default 0
    )`,

    `create table members (
      organization text not null references organizations (id),
      handle text not null,
      kind text not null,
      display_name text not null,
      owner text,
      created_at bigint not null,
      deactivated_at bigint,
      primary key (organization, handle),
      foreign key (organization, owner) references members (organization, handle)
    )`,
    `create index members_of_owner on members (organization, owner) where owner is not null`,

    `create table rooms (
      organization text not null references organizations (id),
      id bigint not null,
      name text not null,
      description text not null default '',
      repo_url text not null default '',
      onboarding_notes text not null default '',
      info_set_by text,
      info_set_at bigint,
      info_by text not null default 'writers',
      lease_minutes integer,
      retention_days integer,
      last_message bigint not null default 0,
      last_task bigint not null default 0,
      last_file bigint not null default 0,
      created_at bigint not null,
      created_by text not null,
      primary key (organization, id),
      unique (organization, name)
    )`,

    `create table tokens (
      organization text not null,
      id text not null,
      kind text not null,
      member text not null,
      label text not null default '',
      hash text not null unique,
      readonly integer not null default 0,
      admin integer not null default 0,
      all_rooms integer not null default 0,
      default_room bigint,
      created_at bigint not null,
      created_by text not null,
      expires_at bigint,
      revoked_at bigint,
      revoked_by text,
      last_seen_at bigint,
      last_address text,
      primary key (organization, id),
      foreign key (organization, member) references members (organization, handle)
    )`,
    `create index tokens_of_member on tokens (organization, member)`,

    `create table token_rooms (
      organization text not null,
      token text not null,
      room bigint not null,
      primary key (organization, token, room),
      foreign key (organization, token) references tokens (organization, id) on delete cascade,
      foreign key (organization, room) references rooms (organization, id) on delete cascade
    )`,
    `create index token_rooms_of_room on token_rooms (organization, room)`,

    // No reference from an event to its room: the log outlives what it tells of.
    `create table events (
      organization text not null references organizations (id),
      position bigint not null,
      room bigint,
      at bigint not null,
      kind text not null,
      actor text not null,
      task bigint,
      message bigint,
      file bigint,
      question bigint,
      detail text not null,
      concerns text not null,
      credential text,
      address text,
      content_hash text,
      hash text not null,
      pruned_at bigint,
      redacted_at bigint,
      primary key (organization, position)
    )`,
    `create index events_of_room on events (organization, room, position)`,
    // For taking a message back, which must find what the log tells of it.
    `create index events_of_message on events (organization, room, message) where kind = 'message'`,
    `create index events_of_task on events (organization, room, task, position)`,
    // The audit log: administrative acts and those on credentials keep where they came from.
    `create index events_audited on events (organization, position) where address is not null`,

    `create table messages (
      organization text not null,
      room bigint not null,
      number bigint not null,
      author text not null,
      at bigint not null,
      body text not null,
      reply_to bigint,
      thread bigint not null,
      retracted_at bigint,
      retracted_by text,
      primary key (organization, room, number),
      foreign key (organization, room) references rooms (organization, id) on delete cascade,
      foreign key (organization, room, reply_to) references messages (organization, room, number)
    )`,
    `create index messages_of_thread on messages (organization, room, thread, number)`,
    // Answers "is this one replied to", which a delete asks for every row.
    `create index messages_by_reply on messages (organization, room, reply_to)`,

    `create table mentions (
      organization text not null,
      room bigint not null,
      message bigint not null,
      member text not null,
      primary key (organization, room, member, message),
      foreign key (organization, room, message) references messages (organization, room, number) on delete cascade,
      foreign key (organization, member) references members (organization, handle)
    )`,
    `create index mentions_of_message on mentions (organization, room, message)`,

    `create table receipts (
      organization text not null,
      room bigint not null,
      message bigint not null,
      member text not null,
      nudged_at bigint,
      nudged_path text,
      handed_over_at bigint,
      handed_over_path text,
      handed_over_session text,
      acknowledged_at bigint,
      primary key (organization, room, message, member),
      foreign key (organization, room, message) references messages (organization, room, number) on delete cascade,
      foreign key (organization, member) references members (organization, handle)
    )`,

    `create table tasks (
      organization text not null,
      room bigint not null,
      number bigint not null,
      title text not null,
      body text not null,
      status text not null,
      assignee text,
      holder_session text,
      responsible text,
      reviewer text,
      priority integer not null,
      labels text not null,
      links text not null,
      depends_on text not null default '',
      version bigint not null,
      created_by text not null,
      created_at bigint not null,
      updated_at bigint not null,
      claim_number bigint not null default 0,
      claimed_at bigint,
      lease_ms bigint,
      last_holder text,
      last_note bigint not null default 0,
      primary key (organization, room, number),
      foreign key (organization, room) references rooms (organization, id) on delete cascade
    )`,
    `create index tasks_by_status on tasks (organization, room, status, priority, number)`,
    `create index tasks_by_assignee on tasks (organization, room, assignee, number)`,
    // The few that somebody holds: the sweep of ended leases looks at no other.
    `create index tasks_held on tasks (organization, assignee) where claimed_at is not null`,

    `create table task_labels (
      organization text not null,
      room bigint not null,
      task bigint not null,
      label text not null,
      primary key (organization, room, label, task),
      foreign key (organization, room, task) references tasks (organization, room, number) on delete cascade
    )`,
    `create index labels_of_task on task_labels (organization, room, task)`,

    `create table dependencies (
      organization text not null,
      room bigint not null,
      task bigint not null,
      needs bigint not null,
      primary key (organization, room, task, needs),
      foreign key (organization, room, task) references tasks (organization, room, number) on delete cascade,
      foreign key (organization, room, needs) references tasks (organization, room, number) on delete cascade
    )`,
    `create index dependents on dependencies (organization, room, needs)`,

    `create table notes (
      organization text not null,
      room bigint not null,
      task bigint not null,
      number bigint not null,
      author text not null,
      at bigint not null,
      body text not null,
      primary key (organization, room, task, number),
      foreign key (organization, room, task) references tasks (organization, room, number) on delete cascade
    )`,

    // A reader's place per path: `position` is confirmed, `offered` was handed out and may not have arrived; up to `passed_over`
    // not all of it was shown. Room 0 is the reader's own news (questions), so there is no reference to a room.
    `create table places (
      organization text not null,
      credential text not null,
      session text not null,
      path text not null,
      room bigint not null,
      position bigint not null,
      offered bigint not null,
      offered_by text not null,
      offered_at bigint not null,
      welcomed_at bigint,
      passed_over bigint not null default 0,
      primary key (organization, credential, session, path, room),
      foreign key (organization, credential) references tokens (organization, id) on delete cascade
    )`,
    `create index places_of_room on places (organization, room)`,

    `create table presence (
      organization text not null,
      member text not null,
      session text not null,
      path text not null,
      seen_at bigint not null,
      primary key (organization, member, session, path),
      foreign key (organization, member) references members (organization, handle)
    )`,

    `create table idempotency (
      organization text not null,
      member text not null,
      operation text not null,
      key text not null,
      request_hash text not null,
      answer text not null,
      at bigint not null,
      primary key (organization, member, operation, key)
    )`,
    `create index idempotency_by_age on idempotency (organization, at)`,
  ],
  postgres: [
    // Room for the next version of the row on its own page, so that a busy log leaves no dead rows behind.
    `alter table logs set (fillfactor = 50)`,
    `alter table rooms set (fillfactor = 70)`,
    `alter table tasks set (fillfactor = 80)`,
  ],
};
