import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** One row of the audit log: an event that keeps where it came from. `at` is ms since 1970, UTC. */
export interface AuditRow {
  readonly position: number;
  readonly at: number;
  readonly kind: string;
  readonly actor: string;
  readonly credential: string | null;
  readonly address: string;
  readonly detail: string;
  /** Handles, apart by spaces. */
  readonly concerns: string;
}

export interface AuditQuery {
  readonly organization: string;
  /** Only those before this position. */
  readonly before: number | undefined;
  readonly actor: string | undefined;
  readonly kind: string | undefined;
  readonly limit: number;
}

/** The audit log, newest first. */
export function listAudited(tx: Tx, { organization, before, actor, kind, limit }: AuditQuery): Promise<AuditRow[]> {
  const conditions = [
    sql`organization = ${organization} and address is not null`,
    ...(before === undefined ? [] : [sql`position < ${before}`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
  ];
  return tx.all<AuditRow>(sql`
    select position, at, kind, actor, credential, address, detail, concerns
    from events
    where ${sql.join(conditions, " and ")}
    order by position desc
    limit ${limit}`);
}
