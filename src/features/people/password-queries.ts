import type { Caller } from "../../core/operation.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Notes that a person's password has come through a tool, unless that is known. */
export async function exposePassword(tx: Tx, organization: string, handle: string): Promise<void> {
  await tx.run(sql`
    update persons
    set exposed_at = ${tx.now}
    where organization = ${organization} and handle = ${handle} and exposed_at is null`);
}

/** Whether a person's password has passed through a tool since it was last chosen on a page. */
export async function isPasswordExposed(tx: Tx, { organization, handle }: Caller): Promise<boolean> {
  const row = await tx.one<{ exposed_at: number | null }>(sql`
    select exposed_at
    from persons
    where organization = ${organization} and handle = ${handle}`);
  return row?.exposed_at !== null;
}

/** Takes a person's password away: nobody signs in until another one is set. False when the person is not there. */
export async function clearPassword(tx: Tx, organization: string, handle: string): Promise<boolean> {
  const cleared = await tx.run(sql`
    update persons
    set password_hash = null, password_set_at = null, exposed_at = null
    where organization = ${organization} and handle = ${handle}
      and exists (
        select 1
        from members m
        where m.organization = persons.organization and m.handle = persons.handle and m.deactivated_at is null)`);
  return cleared === 1;
}

/** Withdraws the open links that would set a person's password, and gives their ids. */
export async function withdrawPasswordLinks(tx: Tx, organization: string, handle: string): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    update invitations
    set revoked_at = ${tx.now}
    where organization = ${organization} and purpose = 'password' and handle = ${handle} and used_at is null
      and revoked_at is null
    returning id`);
  return rows.map((row) => row.id);
}
