import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

const HOUR = 3_600_000;

/** What an operator watches, over all organizations: numbers alone, no name of anybody. Times are ms since 1970, UTC. */
export interface Figures {
  readonly organizations: number;
  /** Rows of all logs. */
  readonly events: number;
  readonly tasks: readonly { readonly status: string; readonly count: number }[];
  readonly questions: readonly { readonly state: string; readonly count: number; readonly oldest_at: number }[];
  /** Mentions handed over in the last hour, and how long they took from the message on, in ms. */
  readonly deliveries: readonly {
    readonly path: string;
    readonly count: number;
    readonly total_ms: number;
    readonly longest_ms: number;
  }[];
  /** What leaves by webhooks, a broker or notices, and does not get through. */
  readonly failing: readonly { readonly kind: string; readonly count: number; readonly since: number }[];
  readonly file_bytes: number;
  readonly now: number;
}

/** Each part goes by an index; none looks at what is finished. */
export async function readFigures(tx: Tx): Promise<Figures> {
  const logs = await tx.one<{ organizations: number; events: number }>(sql`
    select count(*) as organizations, cast(coalesce(sum(position), 0) as bigint) as events from logs`);
  const files = await tx.one<{ bytes: number }>(sql`
    select cast(coalesce(sum(size), 0) as bigint) as bytes from files`);
  return {
    organizations: logs?.organizations ?? 0,
    events: logs?.events ?? 0,
    tasks: await tx.all(sql`
      select status, count(*) as count
      from tasks
      where status in ('pending', 'in_progress', 'blocked', 'in_review')
      group by status`),
    questions: await tx.all(sql`
      select state, count(*) as count, min(created_at) as oldest_at
      from questions
      where state in ('pending', 'drafted', 'awaiting_approval')
      group by state`),
    deliveries: await tx.all(sql`
      select r.handed_over_path as path, count(*) as count, cast(sum(r.handed_over_at - m.at) as bigint) as total_ms,
        max(r.handed_over_at - m.at) as longest_ms
      from receipts r
      join messages m on m.organization = r.organization and m.room = r.room and m.number = r.message
      where r.handed_over_at > ${tx.now - HOUR}
      group by r.handed_over_path`),
    failing: await tx.all(sql`
      select kind, count(*) as count, min(failing_since) as since
      from followers
      where failing_since is not null
      group by kind`),
    file_bytes: files?.bytes ?? 0,
    now: tx.now,
  };
}
