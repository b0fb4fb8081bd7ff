import type { Migration } from "./migration.ts";

/** What `/metrics` counts each time it is asked, without going through everything. */
export const metrics: Migration = {
  name: "0009-metrics",
  statements: [
    `create index figures_of_tasks on tasks (status) where status in ('pending', 'in_progress', 'blocked', 'in_review')`,
    `create index figures_of_questions on questions (state, created_at) where state in ('pending', 'drafted', 'awaiting_approval')`,
    `create index figures_of_receipts on receipts (handed_over_at, handed_over_path) where handed_over_at is not null`,
  ],
};
