import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { HOLDER_SEEN, leaseEnded } from "./lease-queries.ts";
import type { TaskRow } from "./queries.ts";

/** A task as its holder is reminded of it. */
export type HeldRow = Pick<
  TaskRow,
  "number" | "status" | "holder_session" | "claimed_at" | "lease_ms" | "holder_seen"
> & {
  readonly room: string;
};

/** What a member holds in these rooms, what was claimed first first; at most `limit`. */
export async function listHeldTasks(
  tx: Tx,
  { organization, handle }: { readonly organization: string; readonly handle: string },
  rooms: readonly number[],
  limit: number,
): Promise<HeldRow[]> {
  return tx.all<HeldRow>(sql`
    select r.name as room, number, status, holder_session, claimed_at, lease_ms, ${HOLDER_SEEN} as holder_seen
    from tasks
    join rooms r on r.organization = tasks.organization and r.id = tasks.room
    where tasks.organization = ${organization} and assignee = ${handle} and claimed_at is not null
      and status in ('in_progress', 'blocked') and tasks.room in (${sql.list(rooms)}) and not ${leaseEnded(tx)}
    order by claimed_at, tasks.room, number
    limit ${limit}`);
}
