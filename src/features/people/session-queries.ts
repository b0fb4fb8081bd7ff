import { isLive } from "../../access/queries.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/**
 * A sign-in of a person that still holds. All of a person's credentials are such: its agents' tokens are other members'. Moments
 * are ms since 1970, UTC.
 */
export interface SessionRow {
  readonly id: string;
  /** From `login`, of a browser, or granted to a client in a browser. */
  readonly kind: "usr" | "web" | "oat";
  readonly label: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_seen_at: number | null;
  readonly last_address: string | null;
}

/** A person's sessions, newest first, those before `before`. */
export function listSessionsOf(
  tx: Tx,
  {
    organization,
    person,
    before,
    limit,
  }: { organization: string; person: string; before?: string | undefined; limit: number },
): Promise<SessionRow[]> {
  return tx.all<SessionRow>(sql`
    select t.id, t.kind, t.label, t.created_at, t.expires_at, t.last_seen_at, t.last_address
    from tokens t
    where t.organization = ${organization} and t.member = ${person} and ${isLive(tx)}
      ${before === undefined ? sql.nothing : sql`and t.id < ${before}`}
    order by t.id desc
    limit ${limit}`);
}

/** Whether a session is, or a short while ago was, this person's. */
export async function isSessionOf(tx: Tx, organization: string, person: string, id: string): Promise<boolean> {
  const row = await tx.one(sql`
    select t.id
    from tokens t
    where t.organization = ${organization} and t.member = ${person} and t.id = ${id}`);
  return row !== undefined;
}

/** Which of a person's sessions: one, or all but one. */
export type WhichSessions = { readonly only: string } | { readonly but: string | undefined };

/** Ends a person's sessions, with what the sign-in by browser keeps for them, and gives their ids. */
export async function endSessions(
  tx: Tx,
  { organization, person, by }: { organization: string; person: string; by: string },
  which: WhichSessions,
): Promise<string[]> {
  const ended = await tx.all<{ id: string; kind: string; hash: string }>(sql`
    update tokens as t
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where t.organization = ${organization} and t.member = ${person} and ${matching(which)} and ${isLive(tx)}
    returning id, kind, hash`);
  const grants = ended.filter(({ kind }) => kind === "oat").map(({ hash }) => hash);
  if (grants.length > 0) await tx.run(sql`delete from oauth_records where grant_id in (${sql.list(grants)})`);
  return ended.map(({ id }) => id).toSorted();
}

function matching(which: WhichSessions): Sql {
  if ("only" in which) return sql`t.id = ${which.only}`;
  return which.but === undefined ? sql`true` : sql`t.id <> ${which.but}`;
}
