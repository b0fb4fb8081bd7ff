import { listAllRooms } from "../../access/queries.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { dropOrganizationTexts } from "../search/queries.ts";
import { closeRoom } from "../rooms/removal-queries.ts";

/**
 * Lets nobody into an organization any more: every credential ends, every room is closed. What is in it goes page by page; see
 * `removeOrganization`.
 */
export async function closeOrganization(tx: Tx, organization: string, by: string): Promise<void> {
  await tx.run(sql`
    delete from oauth_records
    where grant_id in (select hash from tokens where organization = ${organization} and kind = 'oat')`);
  await tx.run(sql`
    update tokens
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where organization = ${organization} and revoked_at is null`);
  await tx.run(
    sql`update members set deactivated_at = ${tx.now} where organization = ${organization} and deactivated_at is null`,
  );
  await tx.run(
    sql`update invitations set revoked_at = ${tx.now} where organization = ${organization} and revoked_at is null`,
  );
  for (const { id } of await listAllRooms(tx, organization)) await closeRoom(tx, { organization, room: id });
}

/** Events that one page removes. */
const PAGE = 5_000;

/** Removes the oldest events that an organization still has. Gives whether there were any. */
export async function removeEvents(tx: Tx, organization: string): Promise<boolean> {
  const oldest = await tx.one<{ position: number | null }>(sql`
    select min(position) as position from events where organization = ${organization}`);
  if (oldest?.position === undefined || oldest.position === null) return false;
  const upTo = oldest.position + PAGE;
  await tx.run(sql`delete from personal_events where organization = ${organization} and position < ${upTo}`);
  await tx.run(sql`delete from events where organization = ${organization} and position < ${upTo}`);
  return true;
}

/** Removes all that an organization without rooms and events still has, and the organization. False when it was not there. */
export async function removeRest(tx: Tx, organization: string): Promise<boolean> {
  dropOrganizationTexts(tx, organization);
  for (const table of REST)
    await tx.run({ texts: [`delete from ${table} where organization = `, ""], values: [organization] });
  return (await tx.run(sql`delete from organizations where id = ${organization}`)) > 0;
}

/** In an order in which nothing is referred to any more. What hangs on a room has gone with it; a test holds both against the schema. */
export const REST = [
  "search_backlog",
  "announcements",
  "imported",
  "followers",
  "notices",
  "hooks",
  "wakes",
  "question_receipts",
  "approvals",
  "drafts",
  "questions",
  "idempotency",
  "presence",
  "places",
  "tokens",
  "invitations",
  "passkeys",
  "person_rooms",
  "persons",
  "members",
  "former_handles",
  "logs",
] as const;
