import { FIRST_ROOM } from "../organizations/make-organization.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { isFormerHandle } from "../erasure/former-handle-queries.ts";

export interface NewPerson {
  readonly organization: string;
  readonly handle: string;
  readonly name: string;
  readonly role: "member" | "admin";
  /** Null until the person has chosen one by a link. */
  readonly passwordHash: string | null;
  /** Whether the password came through a tool, so that others may have read it. */
  readonly exposed: boolean;
  readonly ownership?: readonly string[];
  readonly notes?: string;
}

/** Makes a person who may enter the room that every organization starts with. False when the handle is, or ever was, taken. */
export async function insertPerson(tx: Tx, person: NewPerson): Promise<boolean> {
  const { organization, handle, name, role, passwordHash, exposed, ownership = [], notes = "" } = person;
  if (await isFormerHandle(tx, organization, handle)) return false;
  const made = await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at)
    values (${organization}, ${handle}, 'person', ${name}, ${tx.now})
    on conflict (organization, handle) do nothing`);
  if (made === 0) return false;
  await tx.run(sql`
    insert into persons (organization, handle, role, password_hash, password_set_at, exposed_at, ownership, notes)
    values (${organization}, ${handle}, ${role}, ${passwordHash}, ${passwordHash === null ? null : tx.now},
      ${exposed ? tx.now : null}, ${JSON.stringify(ownership)}, ${notes})`);
  await tx.run(sql`
    insert into person_rooms (organization, person, room)
    select organization, cast(${handle} as text), id
    from rooms
    where organization = ${organization} and name = ${FIRST_ROOM}`);
  return true;
}

export interface NewPassword extends Pick<NewPerson, "organization" | "handle" | "exposed"> {
  readonly passwordHash: string;
  /** The hash of the one that was proved; left out where nothing had to be. */
  readonly replaces?: string;
}

/**
 * Sets a person's password. Chosen on a page (`exposed` false) it is known to nobody else. False when the person is not there,
 * or has another password by now than the one that was proved.
 */
export async function setPassword(
  tx: Tx,
  { organization, handle, passwordHash, exposed, replaces }: NewPassword,
): Promise<boolean> {
  const proved = replaces === undefined ? sql.nothing : sql`and password_hash = ${replaces}`;
  const set = await tx.run(sql`
    update persons
    set password_hash = ${passwordHash}, password_set_at = ${tx.now}, exposed_at = ${exposed ? tx.now : null}
    where organization = ${organization} and handle = ${handle} ${proved}
      and exists (
        select 1
        from members m
        where m.organization = persons.organization and m.handle = persons.handle and m.deactivated_at is null)`);
  return set === 1;
}

/**
 * Notes that an administrator's password, found right a moment ago, has come through a tool. False when that person no longer
 * administers, or has another password by now.
 */
export async function exposeAdministrator(
  tx: Tx,
  { organization, handle, passwordHash }: { organization: string; handle: string; passwordHash: string },
): Promise<boolean> {
  const exposed = await tx.run(sql`
    update persons
    set exposed_at = coalesce(exposed_at, ${tx.now})
    where organization = ${organization} and handle = ${handle} and role = 'admin' and password_hash = ${passwordHash}
      and exists (
        select 1
        from members m
        where m.organization = persons.organization and m.handle = persons.handle and m.deactivated_at is null)`);
  return exposed === 1;
}

/** How many people there are, those who are gone too: their handles stay taken. */
export async function countPersons(tx: Tx, organization: string): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from persons
    where organization = ${organization}`);
  return row?.count ?? 0;
}
