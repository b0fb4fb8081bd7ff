import { LIMITS } from "../core/limits.ts";
import { sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";
import { isLive } from "./queries.ts";

/** How long (ms) an address that a person signed in from is taken for that person's. */
const REMEMBERED_MS = 30 * 86_400_000;
/** What a person's sign-in gives; grants of the sign-in by browser end with their clients. */
const IS_SESSION = sql`t.kind in ('usr', 'web')`;

/** What a sign-in is compared with. */
export interface SignInRow {
  /** Null until the person has chosen one by a link. */
  readonly password_hash: string | null;
  /** Whether a credential of this person was used from the address not long ago. */
  readonly knows_address: number;
}

/** A person who may sign in, unless there is none by that handle or it was deactivated. */
export function findSignIn(
  tx: Tx,
  { organization, handle, address }: { organization: string; handle: string; address: string },
): Promise<SignInRow | undefined> {
  return tx.one<SignInRow>(sql`
    select p.password_hash, case when exists (
      select 1
      from tokens t
      where t.organization = p.organization and t.member = p.handle and t.last_address = ${address}
        and t.last_seen_at > ${tx.now - REMEMBERED_MS}) then 1 else 0 end as knows_address
    from persons p
    join members m on m.organization = p.organization and m.handle = p.handle
    where p.organization = ${organization} and p.handle = ${handle} and m.deactivated_at is null`);
}

/** A session as it is kept; of its secret only the hash is. Moments are ms since 1970, UTC. */
export interface NewSession {
  readonly organization: string;
  readonly handle: string;
  /** The hash that the person's password was found to fit, or was set to a moment ago. */
  readonly passwordHash: string;
  readonly id: string;
  readonly kind: "usr" | "web";
  readonly label: string;
  readonly hash: string;
  readonly admin: boolean;
  readonly address: string;
  readonly expiresAt: number;
}

/** False, and nothing is changed, when the person was deactivated or has another password by now. */
export async function insertSession(tx: Tx, session: NewSession): Promise<boolean> {
  const { organization, handle, passwordHash, id, kind, label, hash, admin, address, expiresAt } = session;
  const now = sql`cast(${tx.now} as bigint)`;
  const made = await tx.run(sql`
    insert into tokens
      (organization, id, kind, member, label, hash, admin, created_at, created_by, expires_at, last_seen_at, last_address)
    select p.organization, ${id}, ${kind}, p.handle, ${label}, ${hash}, cast(${admin ? 1 : 0} as integer), ${now}, p.handle,
      cast(${expiresAt} as bigint), ${now}, ${address}
    from persons p
    join members m on m.organization = p.organization and m.handle = p.handle
    where p.organization = ${organization} and p.handle = ${handle} and p.password_hash = ${passwordHash}
      and m.deactivated_at is null`);
  return made === 1;
}

/** Keeps the same password in another way, unless another one was chosen meanwhile. */
export async function replaceHash(
  tx: Tx,
  person: { organization: string; handle: string; passwordHash: string; betterHash: string },
): Promise<void> {
  await tx.run(sql`
    update persons
    set password_hash = ${person.betterHash}
    where organization = ${person.organization} and handle = ${person.handle} and password_hash = ${person.passwordHash}`);
}

/** Ends the oldest sessions of a person beyond the most that may be, and gives their ids. */
export async function endOldestSessions(tx: Tx, organization: string, handle: string, by: string): Promise<string[]> {
  const ofPerson = sql`t.organization = ${organization} and t.member = ${handle} and ${IS_SESSION}`;
  const rows = await tx.all<{ id: string }>(sql`
    update tokens as t
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where ${ofPerson} and ${isLive(tx)} and (t.created_at, t.id) < (
      select t.created_at, t.id
      from tokens t
      where ${ofPerson} and ${isLive(tx)}
      order by t.created_at desc, t.id desc
      limit 1 offset ${LIMITS.sessionsPerPerson - 1})
    returning id`);
  return rows.map((row) => row.id);
}

/** Drops the rows of a person's sessions that ended, but for the newest: they say from where it signs in. */
export async function dropEndedSessions(tx: Tx, organization: string, handle: string): Promise<void> {
  const ended = sql`
    t.organization = ${organization} and t.member = ${handle} and ${IS_SESSION} and not (${isLive(tx)})`;
  await tx.run(sql`
    delete from tokens as t
    where ${ended} and (t.created_at, t.id) < (
      select t.created_at, t.id
      from tokens t
      where ${ended}
      order by t.created_at desc, t.id desc
      limit 1 offset ${LIMITS.sessionsPerPerson - 1})`);
}
