import { isLive } from "../../access/queries.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { mayEnter } from "../rooms/queries.ts";

/** Whether a member is still there with a credential, and may enter a room. As 0 and 1. */
export interface Standing {
  readonly member: string;
  readonly is_there: number;
  readonly may_enter: number;
}

/** A person is there without being signed in. */
export async function listStandings(
  tx: Tx,
  organization: string,
  room: number,
  members: readonly string[],
): Promise<Standing[]> {
  if (members.length === 0) return [];
  return tx.all<Standing>(sql`
    select m.handle as member, case when ${mayEnter(tx, room)} then 1 else 0 end as may_enter,
      case when m.deactivated_at is null and (m.kind = 'person' or exists (
        select 1
        from tokens t
        where t.organization = m.organization and t.member = m.handle and ${isLive(tx)})) then 1 else 0 end as is_there
    from members m
    where m.organization = ${organization} and m.handle in (${sql.list(members)})`);
}
