import type { LoggedEvent } from "../../core/events.ts";
import type { Caller } from "../../core/operation.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { recordQuestionNudges } from "./question-queries.ts";
import { HANDS_ON, recordTaskNudges } from "./task-receipt-queries.ts";

type NudgedRow = Pick<LoggedEvent, "position" | "kind" | "message" | "task" | "question"> & {
  readonly room: number | null;
  readonly concerns: string;
};

/**
 * Notes by which path the caller was woken for these events first: messages and tasks that are especially for it, and questions. What
 * it may not know of counts as none.
 */
export async function recordNudges(tx: Tx, caller: Caller, room: number, positions: readonly number[]): Promise<void> {
  const { organization, handle: member, person, path } = caller;
  const rows = await tx.all<NudgedRow>(sql`
    select e.position, e.kind, e.room, e.message, e.task, e.question, e.concerns
    from events e
    where e.organization = ${organization} and e.position in (${sql.list(positions)}) and e.actor <> ${member}
      and (e.room = ${room} or (e.room is null and exists (
        select 1
        from personal_events p
        where p.organization = e.organization and p.member = ${person ?? ""} and p.position = e.position)))`);
  const nudge = { member, path };
  const isForMember = ({ concerns }: NudgedRow) => concerns.split(" ").includes(member);
  const messages = rows.flatMap((row) => (row.kind === "message" && isForMember(row) ? (row.message ?? []) : []));
  const tasks = rows.flatMap((row) =>
    row.task !== null && HANDS_ON.has(row.kind) && isForMember(row) ? [{ position: row.position, task: row.task }] : [],
  );
  await recordMessageNudges(tx, organization, room, nudge, messages);
  await recordTaskNudges(tx, organization, room, nudge, tasks);
  if (person !== undefined) await recordQuestionNudges(tx, organization, { person, path }, rows);
}

async function recordMessageNudges(
  tx: Tx,
  organization: string,
  room: number,
  { member, path }: { readonly member: string; readonly path: string },
  messages: readonly number[],
): Promise<void> {
  if (messages.length === 0) return;
  await tx.run(sql`
    insert into receipts (organization, room, message, member, nudged_at, nudged_path)
    select m.organization, m.room, m.number, cast(${member} as text), cast(${tx.now} as bigint), cast(${path} as text)
    from messages m
    where m.organization = ${organization} and m.room = ${room} and m.number in (${sql.list(messages)})
    on conflict (organization, room, message, member) do update
    set nudged_at = excluded.nudged_at, nudged_path = excluded.nudged_path
    where receipts.nudged_at is null`);
}
