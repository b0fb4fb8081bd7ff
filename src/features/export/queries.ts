import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** An answer that its person shared, with what was asked. Moments are ms since 1970, UTC. */
export interface SharedAnswerRow {
  readonly number: number;
  readonly asker: string;
  readonly recipient: string;
  readonly question: string;
  readonly answer: string;
  readonly answered_at: number;
  /** The room it was shared with; null for the whole organization. */
  readonly room: string | null;
}

/** Shared answers after a number; the others are their two people's own. */
export function listSharedAnswers(
  tx: Tx,
  organization: string,
  after: number,
  limit: number,
): Promise<SharedAnswerRow[]> {
  return tx.all<SharedAnswerRow>(sql`
    select q.number, q.asker, q.recipient, q.question, q.answer, q.answered_at, r.name as room
    from questions q
    left join rooms r on q.shared = 'room' and r.organization = q.organization and r.id = q.shared_room
    where q.organization = ${organization} and q.number > ${after} and q.answer is not null
      and (q.shared = 'organization' or r.id is not null)
    order by q.number
    limit ${limit}`);
}
