import { isLive } from "../../access/queries.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Whether nobody ever joined: at most what the first start makes is there. */
export async function isUnused(tx: Tx): Promise<boolean> {
  const row = await tx.one<{ members: number; rooms: number }>(sql`
    select (select count(*) from members) as members, (select count(*) from rooms) as rooms`);
  return row?.members === 0 && row.rooms <= 1;
}

/** Begins another history: whoever has a cursor of before is told. */
export async function renewEpoch(tx: Tx, organization: string, epoch: string): Promise<void> {
  await tx.run(sql`update logs set epoch = ${epoch} where organization = ${organization}`);
}

/** Ends every sign-in of a person, by a tool or a browser, and every grant to a client. Gives how many. */
export function endSignIns(tx: Tx, organization: string, by: string): Promise<number> {
  return tx.run(sql`
    update tokens as t
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where t.organization = ${organization} and t.kind in ('usr', 'web', 'oat') and ${isLive(tx)}`);
}

/** Drops the codes, tokens and grants of the authorization server; clients stay registered. */
export function dropGrantRecords(tx: Tx): Promise<number> {
  return tx.run(sql`delete from oauth_records where kind <> 'Client'`);
}

/** A token that works. Moments are ms since 1970, UTC. */
export interface LiveTokenRow {
  readonly organization: string;
  readonly id: string;
  readonly member: string;
  readonly label: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_seen_at: number | null;
}

/** Every token of an organization that works now. */
export function listLiveTokens(tx: Tx, organization: string): Promise<LiveTokenRow[]> {
  return tx.all<LiveTokenRow>(sql`
    select t.organization, t.id, t.member, t.label, t.created_at, t.expires_at, t.last_seen_at
    from tokens t
    join members m on m.organization = t.organization and m.handle = t.member
    left join members o on o.organization = m.organization and o.handle = m.owner
    where t.organization = ${organization} and ${isLive(tx)} and m.deactivated_at is null and o.deactivated_at is null
    order by t.member, t.created_at, t.id`);
}

/** The newest backup that was read back and found whole. */
export interface VerifiedBackup {
  /** When it was made, and when it was read back: ms since 1970, UTC. */
  readonly made_at: number;
  readonly verified_at: number;
  readonly rows: number;
  /** Over its lines; see store/archive/format.ts. */
  readonly sha256: string;
}

/** Keeps it, unless a newer one is known. */
export async function saveVerifiedBackup(tx: Tx, backup: Omit<VerifiedBackup, "verified_at">): Promise<void> {
  const known = await findVerifiedBackup(tx);
  if (known && known.made_at > backup.made_at) return;
  await tx.run(sql`
    insert into instance (name, value)
    values ('verified_backup', ${JSON.stringify({ ...backup, verified_at: tx.now })})
    on conflict (name) do update set value = excluded.value`);
}

export async function findVerifiedBackup(tx: Tx): Promise<VerifiedBackup | undefined> {
  const row = await tx.one<{ value: string }>(sql`select value from instance where name = 'verified_backup'`);
  return readVerifiedBackup(row?.value);
}

/** What stands under `verified_backup` among what the instance keeps about itself. */
export function readVerifiedBackup(value: string | undefined): VerifiedBackup | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as VerifiedBackup); // only saveVerifiedBackup writes it
}

/** The names of all histories in this database: a backup of it has the same ones. */
export async function listEpochs(tx: Tx): Promise<string[]> {
  return (await tx.all<{ epoch: string }>(sql`select epoch from logs order by epoch`)).map((row) => row.epoch);
}
