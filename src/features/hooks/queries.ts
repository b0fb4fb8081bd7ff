import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** A hook as it is kept. Moments are ms since 1970, UTC. */
export interface HookRow {
  readonly id: string;
  readonly direction: "out" | "in";
  /** How what goes through it looks: out `standard`, in `plain` or `github`. */
  readonly form: "standard" | "plain" | "github";
  /** The room's name; null for every room. */
  readonly room: string | null;
  /** Event kinds by spaces; empty for all. */
  readonly kinds: string;
  readonly url: string;
  /** Who what comes in speaks as. */
  readonly member: string | null;
  readonly finishes: number;
  readonly label: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly last_problem: string | null;
  readonly failing_since: number | null;
  readonly disabled_at: number | null;
  readonly disabled_reason: string | null;
}

export interface NewHook extends Pick<HookRow, "id" | "direction" | "form" | "kinds" | "url" | "member" | "label"> {
  readonly organization: string;
  readonly room: number | null;
  /** Sealed for `hook/<id>`; null where a hash among the tokens is enough. */
  readonly secret: string | null;
  readonly finishes: boolean;
  readonly createdBy: string;
}

export async function countHooks(tx: Tx, organization: string): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count from hooks where organization = ${organization}`);
  return row?.count ?? 0;
}

/** Keeps it. One that goes out follows the log from here on. */
export async function insertHook(tx: Tx, hook: NewHook): Promise<void> {
  await tx.run(sql`
    insert into hooks
      (organization, id, direction, form, room, kinds, url, secret, member, finishes, label, created_at, created_by)
    values (${hook.organization}, ${hook.id}, ${hook.direction}, ${hook.form}, ${hook.room}, ${hook.kinds}, ${hook.url},
      ${hook.secret}, ${hook.member}, ${Number(hook.finishes)}, ${hook.label}, ${tx.now}, ${hook.createdBy})`);
  if (hook.direction === "in") return;
  await tx.run(sql`
    insert into followers (organization, kind, id, room, position)
    select organization, 'hook', ${hook.id}, cast(${hook.room} as bigint), position
    from logs
    where organization = ${hook.organization}`);
}

/** All of an organization, oldest first; there are at most `LIMITS.hooksPerOrganization`. */
export function listHooksOf(tx: Tx, organization: string, id?: string): Promise<HookRow[]> {
  return tx.all<HookRow>(sql`
    select h.id, h.direction, h.form, r.name as room, h.kinds, h.url, h.member, h.finishes, h.label, h.created_at, h.created_by,
      h.last_problem, f.failing_since, h.disabled_at, h.disabled_reason
    from hooks h
    left join rooms r on r.organization = h.organization and r.id = h.room
    left join followers f on f.organization = h.organization and f.kind = 'hook' and f.id = h.id
    where h.organization = ${organization} ${id === undefined ? sql.nothing : sql`and h.id = ${id}`}
    order by h.id`);
}

/** Removes it, with its place in the log. */
export async function deleteHookOf(
  tx: Tx,
  organization: string,
  id: string,
): Promise<Pick<HookRow, "id" | "direction" | "member"> | undefined> {
  const gone = await tx.one<Pick<HookRow, "id" | "direction" | "member">>(sql`
    delete from hooks
    where organization = ${organization} and id = ${id}
    returning id, direction, member`);
  if (gone)
    await tx.run(sql`delete from followers where organization = ${organization} and kind = 'hook' and id = ${id}`);
  return gone;
}

/** Ends what came in by it. */
export async function endHookToken(tx: Tx, organization: string, id: string, by: string): Promise<void> {
  await tx.run(sql`
    update tokens
    set revoked_at = ${tx.now}, revoked_by = ${by}
    where organization = ${organization} and id = ${id} and kind = 'hok' and revoked_at is null`);
}

/** Makes the member that a hook speaks as, if the handle is free; false when it is another's. */
export async function ensureWebhookMember(tx: Tx, organization: string, handle: string): Promise<boolean> {
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at)
    values (${organization}, ${handle}, 'webhook', ${handle}, ${tx.now})
    on conflict (organization, handle) do nothing`);
  const found = await tx.one(sql`
    select handle
    from members
    where organization = ${organization} and handle = ${handle} and kind = 'webhook' and deactivated_at is null`);
  return found !== undefined;
}
