import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** What something of another system is here. */
export interface Imported {
  readonly old: string;
  readonly room: number | null;
  readonly new: string;
}

/** Whose things: one database's, in one organization. */
export interface ImportScope {
  readonly organization: string;
  readonly source: string;
}

/** Everything of a kind that was brought over before. */
export function listImported(tx: Tx, { organization, source }: ImportScope, kind: string): Promise<Imported[]> {
  return tx.all<Imported>(sql`
    select old, room, new
    from imported
    where organization = ${organization} and source = ${source} and kind = ${kind}`);
}

export async function noteImported(
  tx: Tx,
  { organization, source }: ImportScope,
  kind: string,
  { old, room, new: made }: Imported,
): Promise<void> {
  await tx.run(sql`
    insert into imported (organization, source, kind, old, room, new, at)
    values (${organization}, ${source}, ${kind}, ${old}, ${room}, ${made}, ${tx.now})`);
}

export async function hasMember(tx: Tx, organization: string, handle: string): Promise<boolean> {
  return (
    (await tx.one(sql`select handle from members where organization = ${organization} and handle = ${handle}`)) !==
    undefined
  );
}

/** A room by its name, and whether anything was ever put into it. */
export function findRoomUse(
  tx: Tx,
  organization: string,
  name: string,
): Promise<{ id: number; used: number } | undefined> {
  return tx.one(sql`
    select id, last_message + last_task + last_file as used
    from rooms
    where organization = ${organization} and name = ${name}`);
}

export async function insertAgent(
  tx: Tx,
  organization: string,
  handle: string,
  name: string,
  at: number,
): Promise<void> {
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at)
    values (${organization}, ${handle}, 'agent', ${name}, ${at})`);
}

/** What is kept of a room beside its name. */
export interface RoomFacts {
  readonly description: string;
  readonly repo_url: string;
  readonly onboarding_notes: string;
  readonly retention_days: number | null;
  readonly created_at: number;
}

export async function setRoomFacts(tx: Tx, organization: string, room: number, facts: RoomFacts): Promise<void> {
  await tx.run(sql`
    update rooms
    set description = ${facts.description}, repo_url = ${facts.repo_url}, onboarding_notes = ${facts.onboarding_notes},
      retention_days = ${facts.retention_days}, created_at = ${facts.created_at}
    where organization = ${organization} and id = ${room}`);
}

/** A credential as it was: its secret is known by its hash alone. */
export interface FormerToken {
  readonly organization: string;
  readonly id: string;
  readonly kind: "agt" | "usr";
  readonly member: string;
  readonly hash: string;
  readonly readonly: boolean;
  readonly admin: boolean;
  readonly all_rooms: boolean;
  readonly rooms: readonly number[];
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_seen_at: number | null;
}

/** False when a credential of that hash is there already. */
export async function insertFormerToken(tx: Tx, token: FormerToken): Promise<boolean> {
  const made = await tx.run(sql`
    insert into tokens
      (organization, id, kind, member, label, hash, readonly, admin, all_rooms, default_room, created_at, created_by,
        expires_at, revoked_at, revoked_by, last_seen_at)
    values (${token.organization}, ${token.id}, ${token.kind}, ${token.member}, 'imported', ${token.hash},
      ${Number(token.readonly)}, ${Number(token.admin)}, ${Number(token.all_rooms)}, ${token.rooms[0] ?? null},
      ${token.created_at}, 'operator', ${token.expires_at}, ${token.revoked_at},
      ${token.revoked_at === null ? null : "operator"}, ${token.last_seen_at})
    on conflict (hash) do nothing`);
  if (made === 0) return false;
  for (const room of token.rooms) {
    await tx.run(sql`
      insert into token_rooms (organization, token, room) values (${token.organization}, ${token.id}, ${room})`);
  }
  return true;
}

/** Lets the tokens of a member read on where it had come to, those that have read nothing here yet. */
export async function movePlaces(
  tx: Tx,
  organization: string,
  member: string,
  room: number,
  position: number,
): Promise<void> {
  await tx.run(sql`
    insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at, welcomed_at)
    select t.organization, t.id, '-', 'tool', cast(${room} as bigint), cast(${position} as bigint), cast(${position} as bigint), '',
      cast(${tx.now} as bigint), cast(${tx.now} as bigint)
    from tokens t
    where t.organization = ${organization} and t.member = ${member}
    on conflict do nothing`);
}

/** The organization's last position, before what this transaction tells. */
export async function findHead(tx: Tx, organization: string): Promise<number> {
  return (
    (await tx.one<{ position: number }>(sql`select position from logs where organization = ${organization}`))
      ?.position ?? 0
  );
}

/** Into which organization something of a source was brought over. */
export async function findOrganizationOf(
  tx: Tx,
  source: string,
  kind: string,
  old: string,
): Promise<string | undefined> {
  const row = await tx.one<{ organization: string }>(sql`
    select organization from imported where source = ${source} and kind = ${kind} and old = ${old}`);
  return row?.organization;
}
