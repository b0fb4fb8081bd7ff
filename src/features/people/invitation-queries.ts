import { hashToken } from "../../access/tokens.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** `join`: whoever has the link becomes a person. `password`: the person it names chooses a new password. */
export type Purpose = "join" | "password";

/** An invitation as it is kept; of its secret only the hash is. Moments are ms since 1970, UTC. */
export interface InvitationRow {
  readonly organization: string;
  readonly id: string;
  readonly purpose: Purpose;
  /** The handle that is kept for whoever comes, or the person whose password it is. */
  readonly handle: string | null;
  readonly display_name: string;
  readonly role: "member" | "admin";
  /** Asked of the new person, in the inviter's name, when it is used. */
  readonly question: string | null;
  readonly created_by: string;
  readonly expires_at: number;
}

export interface NewInvitation {
  readonly organization: string;
  readonly id: string;
  /** `crw_inv_…`, of which the hash is kept. */
  readonly secret: string;
  readonly purpose: Purpose;
  readonly handle: string | null;
  readonly name: string;
  readonly role: "member" | "admin";
  readonly question: string | null;
  readonly createdBy: string;
  readonly expiresAt: number;
}

export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<void> {
  const { organization, id, secret, purpose, handle, name, role, question, createdBy, expiresAt } = invitation;
  await tx.run(sql`
    insert into invitations
      (organization, id, hash, purpose, handle, display_name, role, question, created_at, created_by, expires_at)
    values (${organization}, ${id}, ${hashToken(secret)}, ${purpose}, ${handle}, ${name}, ${role}, ${question}, ${tx.now},
      ${createdBy}, ${expiresAt})`);
}

/** The invitation that this secret opens, in whatever organization, if it can still be used. */
export function findOpenInvitation(tx: Tx, secret: string): Promise<InvitationRow | undefined> {
  return tx.one<InvitationRow>(sql`
    select ${COLUMNS}
    from invitations
    where hash = ${hashToken(secret)} and ${isOpen(tx)}`);
}

/** Uses an invitation up. Of several who come at once, one gets it. */
export function useInvitation(
  tx: Tx,
  organization: string,
  secret: string,
  by: string,
): Promise<InvitationRow | undefined> {
  return tx.one<InvitationRow>(sql`
    update invitations
    set used_at = ${tx.now}, used_by = ${by}
    where organization = ${organization} and hash = ${hashToken(secret)} and ${isOpen(tx)}
    returning ${COLUMNS}`);
}

/** Withdraws what is open of these members' invitations, and those that set their passwords. Gives their ids. */
export async function withdrawInvitations(
  tx: Tx,
  organization: string,
  handles: readonly string[],
): Promise<{ id: string }[]> {
  return tx.all(sql`
    update invitations
    set revoked_at = ${tx.now}
    where organization = ${organization} and used_at is null and revoked_at is null
      and (created_by in (${sql.list(handles)}) or (purpose = 'password' and handle in (${sql.list(handles)})))
    returning id`);
}

/** How many invitations of a member can still be used. */
export async function countOpenInvitations(tx: Tx, organization: string, by: string): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from invitations
    where organization = ${organization} and created_by = ${by} and ${isOpen(tx)}`);
  return row?.count ?? 0;
}

const COLUMNS = sql`organization, id, purpose, handle, display_name, role, question, created_by, expires_at`;

function isOpen(tx: Tx): Sql {
  return sql`used_at is null and revoked_at is null and expires_at > ${tx.now}`;
}
