import { z } from "zod";
import { rolesOf } from "../../access/roles.ts";
import { isoMoment, toIso } from "../../core/fields.ts";
import type { Tx } from "../../store/store.ts";
import { listRoomsOfTokens, type TokenListRow } from "./queries.ts";

const TOKEN_ROLES = ["read", "write", "admin", "organization_admin"] as const;
export const roleNames = z.array(z.enum(TOKEN_ROLES));

/** What a token's flags come to. */
export function rolesOfToken(
  flags: Pick<TokenListRow, "readonly" | "admin" | "all_rooms">,
): (typeof TOKEN_ROLES)[number][] {
  const roles = rolesOf({ ...flags, kind: "agt", owner: null, person_role: null, exposed_at: null });
  return TOKEN_ROLES.filter((role) => roles.has(role));
}

/** A token as answers carry it: never its text, never its hash. */
export const tokenAnswer = z.object({
  id: z.string(),
  agent: z.string(),
  owner: z.string().nullable(),
  label: z.string(),
  room: z.string().nullable(),
  rooms: z.array(z.string()),
  roles: roleNames,
  readonly: z.boolean(),
  admin: z.boolean(),
  all_rooms: z.boolean(),
  state: z.enum(["live", "expired", "revoked"]),
  created_ts: isoMoment,
  created_by: z.string(),
  expires_at: isoMoment.nullable(),
  revoked: z.boolean(),
  revoked_at: isoMoment.nullable(),
  revoked_by: z.string().nullable(),
  last_seen: isoMoment.nullable(),
  last_address: z.string().nullable(),
});

/** Tokens with the names of their rooms, which one query finds for all of them. */
export async function toTokenAnswers(
  tx: Tx,
  organization: string,
  rows: readonly TokenListRow[],
): Promise<z.input<typeof tokenAnswer>[]> {
  const ids = rows.map((row) => row.id);
  const rooms = await listRoomsOfTokens(tx, organization, ids);
  return rows.map((row) => toTokenAnswer(tx.now, row, rooms.get(row.id) ?? []));
}

function toTokenAnswer(
  now: number,
  row: TokenListRow,
  rooms: readonly { id: number; name: string }[],
): z.input<typeof tokenAnswer> {
  return {
    id: row.id,
    agent: row.member,
    owner: row.owner,
    label: row.label,
    room: rooms.find((room) => room.id === row.default_room)?.name ?? null,
    rooms: rooms.map((room) => room.name),
    roles: rolesOfToken(row),
    readonly: row.readonly === 1,
    admin: row.admin === 1,
    all_rooms: row.all_rooms === 1,
    state: stateOf(now, row),
    created_ts: toIso(row.created_at),
    created_by: row.created_by,
    expires_at: toIso(row.expires_at),
    revoked: row.revoked_at !== null,
    revoked_at: toIso(row.revoked_at),
    revoked_by: row.revoked_by,
    last_seen: toIso(row.last_seen_at),
    last_address: row.last_address,
  };
}

function stateOf(now: number, { revoked_at, expires_at }: TokenListRow): "live" | "expired" | "revoked" {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= now ? "expired" : "live";
}
