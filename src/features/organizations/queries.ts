import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** An organization with where its log stands. */
export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly epoch: string;
  readonly position: number;
}

/** False when there is one with this id already; of several processes that try at once, one gets true. */
export async function insertOrganization(tx: Tx, { id, name }: { id: string; name: string }): Promise<boolean> {
  const made = await tx.run(sql`
    insert into organizations (id, name, created_at)
    values (${id}, ${name}, ${tx.now})
    on conflict (id) do nothing`);
  return made === 1;
}

/** Begins an organization's log. `epoch` names this history: a restored one gets another. */
export async function insertLog(tx: Tx, organization: string, epoch: string): Promise<void> {
  await tx.run(
    sql`insert into logs (organization, epoch, position, last_room) values (${organization}, ${epoch}, 0, 0)`,
  );
}

/** Every organization of this database, oldest first. */
export function listOrganizations(tx: Tx): Promise<OrganizationRow[]> {
  return tx.all<OrganizationRow>(sql`
    select o.id, o.name, o.created_at, l.epoch, l.position
    from organizations o
    join logs l on l.organization = o.id
    order by o.created_at, o.id`);
}

/** One organization, if it is there. */
export function findOrganization(tx: Tx, id: string): Promise<OrganizationRow | undefined> {
  return tx.one<OrganizationRow>(sql`
    select o.id, o.name, o.created_at, l.epoch, l.position
    from organizations o
    join logs l on l.organization = o.id
    where o.id = ${id}`);
}

/** Remembers where a server of this database was last reached, for the command line beside it. */
export async function saveAddress(tx: Tx, url: string): Promise<void> {
  await tx.run(sql`
    insert into instance (name, value)
    values ('address', ${url})
    on conflict (name) do update set value = excluded.value`);
}

export async function findAddress(tx: Tx): Promise<string | undefined> {
  return (await tx.one<{ value: string }>(sql`select value from instance where name = 'address'`))?.value;
}
