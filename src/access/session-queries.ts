import { type Sql, sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** Sessions of a member that are remembered by one path; who invents names for them without end pushes out its own only. */
export const MOST_SESSIONS = 200;
/** How long (ms) a session is remembered by itself. */
const REMEMBERED_MS = 86_400_000;

/** A row of `presence` within its organization. */
export interface PresenceKey {
  readonly member: string;
  readonly session: string;
  readonly path: string;
}
/** After one row, up to and with another; from the first, to the last where none is named. */
interface Page {
  readonly after: PresenceKey | undefined;
  readonly upTo: PresenceKey | undefined;
}

/** A condition on `presence`: a claim of its session is counted from its last call, so that must be known. */
const HOLDS_A_TASK = sql`exists (
  select 1
  from tasks t
  where t.organization = presence.organization and t.assignee = presence.member and t.holder_session = presence.session
    and t.claimed_at is not null)`;

/** Makes room for a member's newest session: beyond the most those go that were silent longest, but for those that hold a task. */
export async function dropOldestSessions(tx: Tx, organization: string, member: string, path: string): Promise<void> {
  const ofMember = sql`organization = ${organization} and member = ${member} and path = ${path}`;
  await tx.run(sql`
    delete from presence
    where ${ofMember} and not ${HOLDS_A_TASK} and (seen_at, session) < (
      select seen_at, session
      from presence
      where ${ofMember}
      order by seen_at desc, session desc
      limit 1 offset ${MOST_SESSIONS - 1})`);
}

/** Where a page of `size` rows after `after` ends; undefined when there are fewer. */
export function findEndOfPresence(
  tx: Tx,
  organization: string,
  after: PresenceKey | undefined,
  size: number,
): Promise<PresenceKey | undefined> {
  return tx.one<PresenceKey>(sql`
    select member, session, path
    from presence
    where organization = ${organization} ${isOn({ after, upTo: undefined })}
    order by member, session, path
    limit 1 offset ${size - 1}`);
}

/**
 * Drops those sessions of a page that were silent for a day. What a lease or a reader's place needs
 * stays, and by each path the newest of a member: it says when that one was last there.
 */
export async function dropSilentSessions(tx: Tx, organization: string, page: Page): Promise<void> {
  await tx.run(sql`
    delete from presence
    where organization = ${organization} ${isOn(page)} and seen_at <= ${tx.now - REMEMBERED_MS}
      and not ${HOLDS_A_TASK}
      and exists (
        select 1
        from presence n
        where n.organization = presence.organization and n.member = presence.member and n.path = presence.path
          and n.seen_at > presence.seen_at)
      and not exists (
        select 1
        from tokens k
        join places p on p.organization = k.organization and p.credential = k.id
        where k.organization = presence.organization and k.member = presence.member and p.session = presence.session)`);
}

function isOn({ after, upTo }: Page): Sql {
  const rowOf = ({ member, session, path }: PresenceKey) => sql`(${member}, ${session}, ${path})`;
  return sql`${after ? sql`and (member, session, path) > ${rowOf(after)}` : sql.nothing}
    ${upTo ? sql`and (member, session, path) <= ${rowOf(upTo)}` : sql.nothing}`;
}
