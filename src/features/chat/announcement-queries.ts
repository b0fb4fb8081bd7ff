import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** The newest version that served this database; undefined before its first start. */
export async function findServedVersion(tx: Tx): Promise<string | undefined> {
  return (await tx.one<{ value: string }>(sql`select value from instance where name = 'version'`))?.value;
}

export async function saveServedVersion(tx: Tx, version: string): Promise<void> {
  await tx.run(sql`
    insert into instance (name, value)
    values ('version', ${version})
    on conflict (name) do update set value = excluded.value`);
}

/** True for one of all that try: whoever gets it tells this organization of the version. */
export async function takeAnnouncement(tx: Tx, organization: string, version: string): Promise<boolean> {
  const taken = await tx.run(sql`
    insert into announcements (organization, version, at)
    values (${organization}, ${version}, ${tx.now})
    on conflict (organization, version) do nothing`);
  return taken === 1;
}
