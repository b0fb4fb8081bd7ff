import { z } from "zod";
import type { Caller } from "../../core/operation.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import { attached, attachedAt } from "../files/attachments.ts";
import { leaseEndOf, standingAt } from "./leases.ts";
import { type Actor, STATUSES, type TaskState } from "./model.ts";
import type { NoteRow, TaskRow } from "./queries.ts";

/** A task as answers carry it. */
export const task = z.object({
  id: z.int(),
  room: z.string(),
  title: z.string(),
  body: z.string(),
  status: z.enum(STATUSES),
  assignee: z.string().nullable(),
  responsible: z.string().nullable(),
  reviewer: z.string().nullable(),
  priority: z.int(),
  labels: z.array(z.string()),
  links: z.array(z.string()),
  attachments: attached,
  depends_on: z.array(z.int()),
  blocked_by_unfinished: z.array(z.int()),
  version: z.int(),
  claim_number: z.int(),
  lease_ends_at: isoMoment.nullable(),
  created_by: z.string(),
  created_ts: isoMoment,
  updated_ts: isoMoment,
});

export const note = z.object({ id: z.int(), author: z.string(), ts: isoMoment, body: z.string() });

/** The texts in an answer with a `task` that other members wrote. */
export const UNTRUSTED_IN_TASK = ["task.title", "task.body", "task.labels", "task.links"] as const;

/** `now` (ms) judges its lease and its files: what has ended is not shown, whatever is still written. */
export function toTask(row: TaskRow, room: string, now: number): z.input<typeof task> {
  const standing = standingAt(row, now);
  return {
    id: row.number,
    room,
    title: row.title,
    body: row.body,
    status: standing.status,
    assignee: standing.assignee,
    responsible: row.responsible,
    reviewer: row.reviewer,
    priority: row.priority,
    labels: textsOf(row.labels),
    links: textsOf(row.links),
    ...attachedAt(row.files, now),
    depends_on: numbersOf(row.depends_on),
    blocked_by_unfinished: numbersOf(row.unfinished),
    version: row.version,
    claim_number: row.claim_number,
    lease_ends_at: toIso(leaseEndOf(standing)),
    created_by: row.created_by,
    created_ts: toIso(row.created_at),
    updated_ts: toIso(row.updated_at),
  };
}

export function toNote({ number, author, at, body }: NoteRow): z.input<typeof note> {
  return { id: number, author, ts: toIso(at), body };
}

/** What the board's rules look at. */
export function stateOf({
  status,
  assignee,
  claimed_at,
  responsible,
  reviewer,
  created_by,
  last_holder,
}: TaskRow): TaskState {
  return { status, assignee, claimed: claimed_at !== null, responsible, reviewer, created_by, last_holder };
}

export function actorOf({ handle, roles }: Caller): Actor {
  return { handle, admin: roles.has("admin") };
}

/** A stored JSON list of texts; only this feature writes them. */
export function textsOf(json: string): string[] {
  return JSON.parse(json) as string[];
}

export function numbersOf(list: string | null): number[] {
  return list === null || list === "" ? [] : list.split(",").map(Number);
}
