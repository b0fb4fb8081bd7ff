import { sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** By what a person is told, as its follower needs it. */
export interface ToldByRow {
  readonly id: string;
  readonly person: string;
  readonly channel: "ntfy" | "slack" | "web_push";
  /** Sealed for `notice/<id>`. */
  readonly address: string;
}

/** Undefined once it was removed or disabled, or its person is gone. */
export function findNotice(tx: Tx, organization: string, id: string): Promise<ToldByRow | undefined> {
  return tx.one<ToldByRow>(sql`
    select n.id, n.person, n.channel, n.address
    from notices n
    join members m on m.organization = n.organization and m.handle = n.person
    where n.organization = ${organization} and n.id = ${id} and n.disabled_at is null and m.deactivated_at is null`);
}

export async function noteNoticeProblem(tx: Tx, organization: string, id: string, problem: string): Promise<void> {
  await tx.run(sql`
    update notices
    set last_problem = ${problem}
    where organization = ${organization} and id = ${id}`);
}

export async function disableNotice(tx: Tx, organization: string, id: string, reason: string): Promise<void> {
  await tx.run(sql`
    update notices
    set disabled_at = ${tx.now}, disabled_reason = ${reason}
    where organization = ${organization} and id = ${id} and disabled_at is null`);
}
