import type { EventQuery } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/**
 * The position of the `rows`-th event of a room, or of a person's questions, from where the query starts, in a direction;
 * undefined when there are fewer.
 */
export async function findStepEnd(
  tx: Tx,
  { organization, room, member, after, before }: Omit<EventQuery, "limit">,
  direction: "forward" | "backward",
  rows: number,
): Promise<number | undefined> {
  const positions =
    member === undefined
      ? sql`select position from events where organization = ${organization} and room = ${room}`
      : sql`select position from personal_events where organization = ${organization} and member = ${member}`;
  const found = await tx.one<{ position: number }>(sql`
    ${positions}
      ${after === undefined ? sql.nothing : sql`and position > ${after}`}
      ${before === undefined ? sql.nothing : sql`and position < ${before}`}
    order by position ${direction === "forward" ? sql.nothing : sql`desc`}
    limit 1 offset ${rows - 1}`);
  return found?.position;
}

/** The rooms in which something happened after a position, each with the last one. */
export function listMovedRooms(
  tx: Tx,
  organization: string,
  after: number,
): Promise<{ readonly room: number; readonly position: number }[]> {
  return tx.all(sql`
    select room, max(position) as position
    from events
    where organization = ${organization} and position > ${after} and room is not null
    group by room`);
}

/** The position of a room's newest event; 0 when there is none. */
export async function findLatestEvent(tx: Tx, organization: string, room: number): Promise<number> {
  // Written as a range of (room, position): for one room's newest row Postgres else walks back through everybody's.
  const row = await tx.one<{ position: number }>(sql`
    select position
    from events
    where organization = ${organization} and (room, position) >= (${room}, 0) and (room, position) < (${room + 1}, 0)
    order by room desc, position desc
    limit 1`);
  return row?.position ?? 0;
}
