import type { LoggedEvent } from "../../core/events.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { PlaceKey } from "./queries.ts";

/**
 * How far the texts have come to a credential by any session: where a session that is new begins. Those that are under way
 * to another one count as not seen.
 */
export async function findFurthest(tx: Tx, { organization, credential, room }: PlaceKey): Promise<number> {
  const row = await tx.one<{ position: number | null }>(sql`
    select max(position) as position
    from places
    where organization = ${organization} and credential = ${credential} and room = ${room}`);
  return row?.position ?? 0;
}

/** Notes that what lies up to a position was passed over: not all of it was shown. */
export async function markPassedOver(tx: Tx, key: PlaceKey, upTo: number): Promise<void> {
  await tx.run(sql`
    update places
    set passed_over = ${upTo}
    where organization = ${key.organization} and credential = ${key.credential} and session = ${key.session}
      and path = ${key.path} and room = ${key.room} and passed_over < ${upTo}`);
}

/** What of a room a member is mentioned in, between two positions, newest first. */
export interface MentionQuery {
  readonly organization: string;
  readonly room: number;
  readonly member: string;
  readonly after: number;
  readonly before: number;
  readonly limit: number;
}

export async function listMentionEvents(tx: Tx, query: MentionQuery): Promise<LoggedEvent[]> {
  const { organization, room, member, after, before, limit } = query;
  // "cross": SQLite would else go through the log and look up who is mentioned.
  const rows = await tx.all<Omit<LoggedEvent, "concerns">>(sql`
    select e.position, e.room, e.at, e.kind, e.actor, e.task, e.message, e.file, e.question, e.detail
    from mentions n
    cross join events e
    where e.organization = n.organization and e.room = n.room and e.message = n.message and e.kind = 'message'
      and n.organization = ${organization} and n.room = ${room} and n.member = ${member} and e.actor <> ${member}
      and e.position > ${after} and e.position < ${before} and e.pruned_at is null
    order by n.message desc
    limit ${limit}`);
  return rows.map((row) => ({ ...row, concerns: [member] }));
}
