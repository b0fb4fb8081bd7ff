import type { LoggedEvent } from "../core/events.ts";
import { type Sql, sql } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";

/** Which follower: its organization, what it does, and for whom. */
export interface FollowerKey {
  readonly organization: string;
  readonly kind: string;
  readonly id: string;
}

/** What it follows, and how far it is. Moments are ms since 1970, UTC. */
export interface FollowerRow extends FollowerKey {
  /** One room; null for every room. Counts where `member` is null. */
  readonly room: number | null;
  /** The person whose own news it follows: what is told to it alone. */
  readonly member: string | null;
  readonly position: number;
  /** How often in a row it failed, and since when. */
  readonly failures: number;
  readonly failing_since: number | null;
}

/** An event with the name of its room; null for what a person alone may know. */
export interface FollowedEvent extends LoggedEvent {
  readonly organization: string;
  readonly epoch: string;
  readonly room_name: string | null;
}

const COLUMNS = sql`organization, kind, id, room, member, position, failures, failing_since`;

function isFollower({ organization, kind, id }: FollowerKey): Sql {
  return sql`organization = ${organization} and kind = ${kind} and id = ${id}`;
}

/** Nobody else works on it, and it need not wait after a failure. */
function isFree(tx: Tx, node: string): Sql {
  return sql`(held_until is null or held_until <= ${tx.now} or held_by = ${node}) and (retry_at is null or retry_at <= ${tx.now})`;
}

/**
 * Those of these kinds that have something to do now. What happened elsewhere makes none of them due, so that a busy room
 * costs nothing but this to those who follow others.
 */
export function listDue(tx: Tx, kinds: readonly string[], node: string, limit: number): Promise<FollowerKey[]> {
  return tx.all<FollowerKey>(sql`
    select organization, kind, id
    from followers f
    where kind in (${sql.list(kinds)}) and ${isFree(tx, node)} and case
      when f.member is not null then exists (
        select 1
        from personal_events p
        where p.organization = f.organization and p.member = f.member and p.position > f.position)
      when f.room is not null then exists (
        select 1
        from events e
        where e.organization = f.organization and e.room = f.room and e.position > f.position)
      else exists (
        select 1
        from events e
        where e.organization = f.organization and e.room is not null and e.position > f.position) end
    order by coalesce(held_until, 0)
    limit ${limit}`);
}

/** Takes it for this process until `until`; undefined when another one has it, or it is gone. */
export function takeFollower(tx: Tx, key: FollowerKey, node: string, until: number): Promise<FollowerRow | undefined> {
  return tx.one<FollowerRow>(sql`
    update followers
    set held_by = ${node}, held_until = ${until}
    where ${isFollower(key)} and ${isFree(tx, node)}
    returning ${COLUMNS}`);
}

/**
 * Notes that all up to `position` is done. With `until` it stays this process's; without, it is free again, and after those
 * that wait longer.
 */
export async function advanceFollower(
  tx: Tx,
  key: FollowerKey,
  node: string,
  position: number,
  until: number | null,
): Promise<boolean> {
  const moved = await tx.run(sql`
    update followers
    set position = ${position}, held_by = ${until === null ? null : node}, held_until = ${until ?? tx.now}, failures = 0,
      failing_since = null, retry_at = null
    where ${isFollower(key)} and held_by = ${node} and position <= ${position}`);
  return moved === 1;
}

/** Notes that it failed after `position`, and is to wait until `retryAt`. Gives it as it now is. */
export function failFollower(
  tx: Tx,
  key: FollowerKey,
  node: string,
  position: number,
  retryAt: number,
): Promise<FollowerRow | undefined> {
  return tx.one<FollowerRow>(sql`
    update followers
    set position = ${position}, held_by = null, held_until = ${tx.now}, retry_at = ${retryAt},
      failures = case when position < ${position} then 1 else failures + 1 end,
      failing_since = case when position < ${position} or failing_since is null then ${tx.now} else failing_since end
    where ${isFollower(key)} and held_by = ${node} and position <= ${position}
    returning ${COLUMNS}`);
}

export async function dropFollower(tx: Tx, key: FollowerKey): Promise<void> {
  await tx.run(sql`delete from followers where ${isFollower(key)}`);
}

/** Makes one of every room, unless the organization has one of this kind; it begins where the log stands now. */
export async function addFollower(tx: Tx, organization: string, kind: string): Promise<void> {
  await tx.run(sql`
    insert into followers (organization, kind, id, position)
    select organization, ${kind}, '-', position
    from logs
    where organization = ${organization}
    on conflict do nothing`);
}

/** The organizations without a follower of this kind. */
export async function listUnfollowed(tx: Tx, kind: string): Promise<string[]> {
  const rows = await tx.all<{ organization: string }>(sql`
    select l.organization
    from logs l
    where not exists (select 1 from followers f where f.organization = l.organization and f.kind = ${kind})`);
  return rows.map(({ organization }) => organization);
}

interface EventRow extends Omit<FollowedEvent, "concerns"> {
  readonly concerns: string;
}

/** What it follows after `position`, oldest first. A room that is gone tells nothing any more, nor does what was pruned. */
export async function listFollowed(
  tx: Tx,
  { organization, room, member }: Pick<FollowerRow, "organization" | "room" | "member">,
  position: number,
  limit: number,
): Promise<FollowedEvent[]> {
  const [from, where] =
    member === null
      ? [
          sql`events e join rooms r on r.organization = e.organization and r.id = e.room`,
          sql`e.organization = ${organization} and e.position > ${position}
            and ${room === null ? sql`e.room is not null` : sql`e.room = ${room}`}`,
        ]
      : // "cross": SQLite would else go through the whole log, and look up whom each row is for.
        [
          sql`personal_events p cross join events e left join rooms r on r.organization = e.organization and r.id = e.room`,
          sql`p.organization = ${organization} and p.member = ${member} and p.position > ${position}
            and e.organization = p.organization and e.position = p.position`,
        ];
  const rows = await tx.all<EventRow>(sql`
    select e.organization, l.epoch, e.position, e.room, e.at, e.kind, e.actor, e.task, e.message, e.file, e.question,
      e.detail, e.concerns, r.name as room_name
    from ${from}
    join logs l on l.organization = e.organization
    where ${where} and e.pruned_at is null
    order by e.position
    limit ${limit}`);
  return rows.map((row) => ({ ...row, concerns: row.concerns === "" ? [] : row.concerns.split(" ") }));
}
