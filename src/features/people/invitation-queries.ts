import { hashToken } from "../../access/tokens.ts";
import type { Caller } from "../../core/operation.ts";
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

/** Whose invitations a caller may see and withdraw: an administrator everybody's, others their own. */
export interface InvitationScope {
  readonly organization: string;
  readonly by: string | undefined;
}

export function invitationScope({ organization, handle, roles }: Caller): InvitationScope {
  return { organization, by: roles.has("organization_admin") ? undefined : handle };
}

/** Invitations that can still be used, newest first, those made before `before`. */
export function listInvitationsBefore(
  tx: Tx,
  scope: InvitationScope,
  before: string | undefined,
  limit: number,
): Promise<InvitationRow[]> {
  return tx.all<InvitationRow>(sql`
    select ${COLUMNS}
    from invitations
    where ${isIn(scope)} and ${isOpen(tx)} ${before === undefined ? sql.nothing : sql`and id < ${before}`}
    order by id desc
    limit ${limit}`);
}

/** Withdraws one. False when there is none that could be used. */
export async function withdrawInvitation(tx: Tx, scope: InvitationScope, id: string): Promise<boolean> {
  const withdrawn = await tx.run(sql`
    update invitations
    set revoked_at = ${tx.now}
    where ${isIn(scope)} and id = ${id} and ${isOpen(tx)}`);
  return withdrawn === 1;
}

function isIn({ organization, by }: InvitationScope): Sql {
  return sql`organization = ${organization} ${by === undefined ? sql.nothing : sql`and created_by = ${by}`}`;
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

/** Whoever made an invitation, with the person that it acts for, if it is still there. */
export function findInviter(tx: Tx, organization: string, handle: string): Promise<{ person: string } | undefined> {
  return tx.one<{ person: string }>(sql`
    select coalesce(owner, handle) as person
    from members
    where organization = ${organization} and handle = ${handle} and deactivated_at is null`);
}

/** How many invitations of a member, to join, can still be used. */
export async function countOpenInvitations(tx: Tx, organization: string, by: string): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from invitations
    where organization = ${organization} and created_by = ${by} and purpose = 'join' and ${isOpen(tx)}`);
  return row?.count ?? 0;
}

const COLUMNS = sql`organization, id, purpose, handle, display_name, role, question, created_by, expires_at`;

function isOpen(tx: Tx): Sql {
  return sql`used_at is null and revoked_at is null and expires_at > ${tx.now}`;
}
