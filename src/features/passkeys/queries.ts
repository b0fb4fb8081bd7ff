import type { Passkey } from "../../access/passkeys.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A person's passkey. Moments are ms since 1970, UTC. */
export interface PasskeyRow extends Passkey {
  readonly label: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

/** A person's passkeys, oldest first. */
export function listPasskeysOf(tx: Tx, { organization, handle }: Caller): Promise<PasskeyRow[]> {
  return tx.all<PasskeyRow>(sql`
    select id, public_key, counter, label, created_at, last_used_at
    from passkeys
    where organization = ${organization} and person = ${handle} and removed_at is null
    order by created_at, id`);
}

/** A passkey that a person has now. */
export function findPasskey(tx: Tx, { organization, handle }: Caller, id: string): Promise<Passkey | undefined> {
  return tx.one<Passkey>(sql`
    select id, public_key, counter
    from passkeys
    where organization = ${organization} and person = ${handle} and id = ${id} and removed_at is null`);
}

/** A passkey that a person has or once had: what was signed with it stays signed. */
export function findPasskeyEver(
  tx: Tx,
  organization: string,
  person: string,
  id: string,
): Promise<Passkey | undefined> {
  return tx.one<Passkey>(sql`
    select id, public_key, counter
    from passkeys
    where organization = ${organization} and person = ${person} and id = ${id}`);
}

/** Adds a passkey. False when it is known already, or the person has as many as may be. */
export async function insertPasskey(tx: Tx, caller: Caller, { id, public_key, counter }: Passkey, label: string) {
  const { organization, handle } = caller;
  const made = await tx.run(sql`
    insert into passkeys (organization, person, id, public_key, counter, label, created_at)
    select p.organization, p.handle, ${id}, ${public_key}, cast(${counter} as bigint), ${label}, cast(${tx.now} as bigint)
    from persons p
    where p.organization = ${organization} and p.handle = ${handle} and (
      select count(*)
      from passkeys k
      where k.organization = p.organization and k.person = p.handle and k.removed_at is null
    ) < ${LIMITS.passkeysPerPerson}
    on conflict do nothing`);
  return made === 1;
}

export async function removePasskeyOf(tx: Tx, { organization, handle }: Caller, id: string): Promise<boolean> {
  const removed = await tx.run(sql`
    update passkeys
    set removed_at = ${tx.now}
    where organization = ${organization} and person = ${handle} and id = ${id} and removed_at is null`);
  return removed === 1;
}

/** Notes a use. False when the passkey was removed, or used later than its counter says, meanwhile. */
export async function markPasskeyUsed(
  tx: Tx,
  { organization, handle }: Caller,
  { passkey: { id, counter }, newCounter }: { readonly passkey: Passkey; readonly newCounter: number },
): Promise<boolean> {
  const marked = await tx.run(sql`
    update passkeys
    set counter = ${newCounter}, last_used_at = ${tx.now}
    where organization = ${organization} and person = ${handle} and id = ${id} and removed_at is null
      and counter = ${counter}`);
  return marked === 1;
}
