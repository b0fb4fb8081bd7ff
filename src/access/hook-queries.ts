import { sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** A hook that things come in by; its token has the same id. */
export interface InboundHookRow {
  readonly id: string;
  readonly form: "plain" | "github";
  /** GitHub's: the token, sealed for `hook/<id>`. */
  readonly secret: string | null;
  /** Whether a merged pull request finishes its tasks. */
  readonly finishes: number;
}

/** By its id alone: whoever asks has shown nothing yet. */
export function findInboundHook(tx: Tx, id: string): Promise<InboundHookRow | undefined> {
  return tx.one<InboundHookRow>(sql`
    select id, form, secret, finishes
    from hooks
    where id = ${id} and direction = 'in'`);
}
