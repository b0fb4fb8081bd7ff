import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { PlaceKey } from "./queries.ts";

/** Places that a token keeps in all sessions, paths and rooms; who invents sessions without end pushes out its own only. */
export const MOST_PLACES = 2_000;
/** How long (ms) the place of a session that does not call is kept. */
const KEPT_MS = 30 * 86_400_000;

/** A row of `places` within its organization. */
export type PlaceId = Omit<PlaceKey, "organization">;
/** After one row, up to and with another; from the first, to the last where none is named. */
interface Page {
  readonly after: PlaceId | undefined;
  readonly upTo: PlaceId | undefined;
}

/** Makes room for a token's newest place: beyond the most those go that had nothing handed out longest; never those of no session. */
export async function dropOldestPlaces(tx: Tx, { organization, credential }: PlaceKey): Promise<void> {
  const ofToken = sql`organization = ${organization} and credential = ${credential}`;
  await tx.run(sql`
    delete from places
    where ${ofToken} and session <> '-' and (offered_at, session, path, room) < (
      select offered_at, session, path, room
      from places
      where ${ofToken}
      order by offered_at desc, session desc, path desc, room desc
      limit 1 offset ${MOST_PLACES - 1})`);
}

/** Where a page of `size` rows after `after` ends; undefined when there are fewer. */
export function findEndOfPlaces(
  tx: Tx,
  organization: string,
  after: PlaceId | undefined,
  size: number,
): Promise<PlaceId | undefined> {
  return tx.one<PlaceId>(sql`
    select credential, session, path, room
    from places
    where organization = ${organization} ${isOn({ after, upTo: undefined })}
    order by credential, session, path, room
    limit 1 offset ${size - 1}`);
}

/**
 * Drops those places of a page where nothing was handed out for 30 days to a session that did not call
 * in that time: one that calls in a quiet room would else be told of everything again.
 */
export async function dropLeftPlaces(tx: Tx, organization: string, page: Page): Promise<void> {
  await tx.run(sql`
    delete from places
    where organization = ${organization} ${isOn(page)} and offered_at <= ${tx.now - KEPT_MS}
      and not exists (
        select 1
        from tokens k
        join presence p on p.organization = k.organization and p.member = k.member
        where k.organization = places.organization and k.id = places.credential and p.session = places.session
          and p.seen_at > ${tx.now - KEPT_MS})`);
}

function isOn({ after, upTo }: Page): Sql {
  const rowOf = ({ credential, session, path, room }: PlaceId) => sql`(${credential}, ${session}, ${path}, ${room})`;
  return sql`${after ? sql`and (credential, session, path, room) > ${rowOf(after)}` : sql.nothing}
    ${upTo ? sql`and (credential, session, path, room) <= ${rowOf(upTo)}` : sql.nothing}`;
}
