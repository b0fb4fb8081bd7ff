import { sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** An outbound hook as its follower needs it. */
export interface OutboundHookRow {
  readonly id: string;
  readonly url: string;
  /** Event kinds by spaces; empty for all. */
  readonly kinds: string;
  /** Sealed for `hook/<id>`. */
  readonly secret: string;
}

/** The hook, unless it was deleted, disabled or its room is gone. */
export function findOutboundHook(tx: Tx, organization: string, id: string): Promise<OutboundHookRow | undefined> {
  return tx.one<OutboundHookRow>(sql`
    select id, url, kinds, secret
    from hooks
    where organization = ${organization} and id = ${id} and direction = 'out' and disabled_at is null`);
}

export async function noteHookProblem(tx: Tx, organization: string, id: string, problem: string): Promise<void> {
  await tx.run(sql`
    update hooks
    set last_problem = ${problem}
    where organization = ${organization} and id = ${id}`);
}

export async function disableHook(tx: Tx, organization: string, id: string, reason: string): Promise<void> {
  await tx.run(sql`
    update hooks
    set disabled_at = ${tx.now}, disabled_reason = ${reason}
    where organization = ${organization} and id = ${id} and disabled_at is null`);
}
