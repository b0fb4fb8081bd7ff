import type { Migration } from "./migration.ts";

/** Which sessions were woken and for what, how far a task's hand-over and the news of a question came, what was announced. */
export const delivery: Migration = {
  name: "0004-delivery",
  statements: [
    // A session that was woken for what lies up to `up_to`; what its member does after `head` carries the chain on. `refused`: why
    // it was not woken, which was told in the room. `rearmed_at`: a person came to the session, so that it counts no more.
    `create table wakes (
      organization text not null,
      member text not null,
      session text not null,
      path text not null,
      room bigint not null,
      up_to bigint not null,
      head bigint not null,
      hops integer not null,
      at bigint not null,
      refused text,
      rearmed_at bigint,
      primary key (organization, member, session, path, room, up_to),
      foreign key (organization, member) references members (organization, handle)
    )`,
    `create index wakes_recent on wakes (organization, member, head)`,
    `create index wakes_refused on wakes (organization, room, head) where refused is not null`,
    `create index wakes_by_age on wakes (organization, at)`,

    // How far the event that handed a task on came to a member it is for.
    `create table task_receipts (
      organization text not null,
      position bigint not null,
      member text not null,
      room bigint not null,
      task bigint not null,
      nudged_at bigint,
      nudged_path text,
      handed_over_at bigint,
      handed_over_path text,
      handed_over_session text,
      primary key (organization, position, member),
      foreign key (organization, room, task) references tasks (organization, room, number) on delete cascade,
      foreign key (organization, member) references members (organization, handle)
    )`,
    `create index task_receipts_of_task on task_receipts (organization, room, task)`,

    // A nudge comes before a hand-over, so that neither is there for sure. Its asker's row is how far the answer came.
    `alter table question_receipts rename to question_handovers`,
    `create table question_receipts (
      organization text not null,
      question bigint not null,
      member text not null,
      nudged_at bigint,
      nudged_path text,
      handed_over_at bigint,
      handed_over_path text,
      handed_over_session text,
      primary key (organization, question, member),
      foreign key (organization, question) references questions (organization, number)
    )`,
    `insert into question_receipts (organization, question, member, handed_over_at, handed_over_path, handed_over_session)
      select organization, question, member, handed_over_at, handed_over_path, handed_over_session from question_handovers`,
    `drop table question_handovers`,

    // Once per version and organization, whichever node says it.
    `create table announcements (
      organization text not null references organizations (id),
      version text not null,
      at bigint not null,
      primary key (organization, version)
    )`,
  ],
};
