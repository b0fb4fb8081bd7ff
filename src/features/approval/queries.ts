import { isLive } from "../../access/queries.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { ApprovalState, Level, Sharing } from "./model.ts";

/** A request to approve one draft, with all that is approved. Moments are ms since 1970, UTC. */
export interface ApprovalRow {
  readonly organization: string;
  readonly id: string;
  readonly number: number;
  readonly revision: number;
  readonly person: string;
  readonly hash: string;
  readonly nonce: string;
  readonly state: ApprovalState;
  readonly requested_by: string;
  readonly requested_at: number;
  readonly shown_at: number | null;
  readonly expires_at: number;
  readonly question: string;
  /** A JSON list of texts. */
  readonly options: string;
  readonly asker: string;
  readonly asked_by: string;
  readonly asked_at: number;
  readonly text: string;
  /** What the question follows up on, if anything. */
  readonly question_before: string | null;
  readonly answer_before: string | null;
}

const APPROVALS = sql`
  select a.organization, a.id, a.question as number, a.revision, a.person, a.hash, a.nonce, a.state, a.requested_by,
    a.requested_at, a.shown_at, a.expires_at, q.question, q.options, q.asker, q.asked_by, q.created_at as asked_at, d.text,
    b.question as question_before, b.answer as answer_before
  from approvals a
  join questions q on q.organization = a.organization and q.number = a.question
  join drafts d on d.organization = a.organization and d.question = a.question and d.revision = a.revision
  left join questions b on b.organization = q.organization and b.number = q.follows`;

/** A request that this person was asked, whatever became of it. */
export function findApproval(
  tx: Tx,
  organization: string,
  person: string,
  id: string,
): Promise<ApprovalRow | undefined> {
  return tx.one<ApprovalRow>(sql`
    ${APPROVALS}
    where a.organization = ${organization} and a.id = ${id} and a.person = ${person}`);
}

/** What waits for this person's approval, in the order of the questions after `since`; `id`: this one alone. */
export function listOpenApprovals(
  tx: Tx,
  organization: string,
  person: string,
  { since, id, limit }: { since: number; id?: string | undefined; limit: number },
): Promise<ApprovalRow[]> {
  const one = id === undefined ? sql.nothing : sql`and a.id = ${id}`;
  return tx.all<ApprovalRow>(sql`
    ${APPROVALS}
    where a.organization = ${organization} and a.person = ${person} and a.state = 'open' and a.expires_at > ${tx.now}
      and a.question > ${since} ${one}
    order by a.question
    limit ${limit}`);
}

/** The request that is open for a question; there is one at most. */
export async function findOpenRequest(tx: Tx, organization: string, number: number): Promise<string | undefined> {
  const row = await tx.one<{ id: string }>(sql`
    select id from approvals where organization = ${organization} and question = ${number} and state = 'open'`);
  return row?.id;
}

export interface NewRequest extends Pick<
  ApprovalRow,
  "id" | "number" | "revision" | "person" | "hash" | "nonce" | "expires_at"
> {}

/** Asks a person to approve a draft. False when too many requests of the caller's wait already. */
export async function insertRequest(tx: Tx, { organization, handle }: Caller, request: NewRequest): Promise<boolean> {
  const { id, number, revision, person, hash, nonce, expires_at } = request;
  const made = await tx.run(sql`
    insert into approvals
      (organization, id, question, revision, person, hash, nonce, state, requested_by, requested_at, expires_at)
    select o.id, ${id}, cast(${number} as bigint), cast(${revision} as bigint), ${person}, ${hash}, ${nonce}, 'open',
      ${handle}, cast(${tx.now} as bigint), cast(${expires_at} as bigint)
    from organizations o
    where o.id = ${organization} and (
      select count(*)
      from approvals a
      where a.organization = o.id and a.person = ${person} and a.state = 'open' and a.requested_by = ${handle}
    ) < ${LIMITS.openApprovalsPerMember}`);
  return made === 1;
}

/** Notes that the text was shown to its person now. */
export async function markShown(tx: Tx, organization: string, id: string): Promise<void> {
  await tx.run(sql`
    update approvals
    set shown_at = ${tx.now}
    where organization = ${organization} and id = ${id} and state = 'open'`);
}

/** How a request is used up. */
export interface Use {
  readonly level: Level;
  readonly by: string;
  /** What was approved: the request's own hash, or the one with another sharing. */
  readonly hash: string;
  /** A passkey's assertion, as it is kept. */
  readonly proof?: string | undefined;
}

/**
 * Uses a request up. Of several who try at once, one does. Its person must still be there, and so must the credential that it
 * is used with: what is believed of a caller may be a second old.
 */
export async function useRequest(
  tx: Tx,
  caller: Caller,
  request: ApprovalRow,
  { level, by, hash, proof }: Use,
): Promise<boolean> {
  const used = await tx.run(sql`
    update approvals
    set state = 'approved', level = ${level}, decided_at = ${tx.now}, decided_by = ${by},
      decided_with = ${caller.credential}, hash = ${hash}, proof = ${proof ?? null}
    where ${isOpen(tx, request)} and hash = ${request.hash} and ${isThere(caller, request.person)}
      and exists (
        select 1
        from tokens t
        where t.organization = ${caller.organization} and t.id = ${caller.credential} and ${isLive(tx)})`);
  return used === 1;
}

/** Rejects what was requested; the reason is for the person's own side. */
export async function rejectRequest(tx: Tx, caller: Caller, request: ApprovalRow, reason: string): Promise<boolean> {
  const rejected = await tx.run(sql`
    update approvals
    set state = 'rejected', decided_at = ${tx.now}, decided_by = ${caller.handle}, decided_with = ${caller.credential},
      reason = ${reason}
    where ${isOpen(tx, request)}`);
  return rejected === 1;
}

/** Ends the request that is open for a question: its draft no longer counts. */
export async function voidRequest(tx: Tx, organization: string, number: number): Promise<void> {
  await tx.run(sql`
    update approvals
    set state = 'void', decided_at = ${tx.now}
    where organization = ${organization} and question = ${number} and state = 'open'`);
}

/** What a person's own approvals come to: whether its password has passed through a tool, and what it is compared with. */
export function findPassword(
  tx: Tx,
  organization: string,
  handle: string,
): Promise<{ password_hash: string | null; exposed_at: number | null } | undefined> {
  return tx.one(sql`
    select password_hash, exposed_at
    from persons
    where organization = ${organization} and handle = ${handle}`);
}

/** An answer with everything that its approval was bound to, as it is stored now. */
export interface AnswerRow extends ApprovalRow {
  readonly answer: string;
  readonly recipient: string;
  readonly shared: "no" | "organization" | "room";
  readonly shared_room: number | null;
  readonly level: Level;
  readonly decided_at: number;
  readonly decided_by: string;
  readonly proof: string | null;
}

export function findAnswer(tx: Tx, organization: string, number: number): Promise<AnswerRow | undefined> {
  return tx.one<AnswerRow>(sql`
    select a.organization, a.id, q.number, a.revision, a.person, a.hash, a.nonce, a.state, a.requested_by, a.requested_at,
      a.shown_at, a.expires_at, q.question, q.options, q.asker, q.asked_by, q.created_at as asked_at, d.text,
      b.question as question_before, b.answer as answer_before, q.answer, q.recipient, q.shared, q.shared_room, a.level, a.decided_at, a.decided_by, a.proof
    from questions q
    join approvals a on a.organization = q.organization and a.id = q.approval
    join drafts d on d.organization = a.organization and d.question = a.question and d.revision = a.revision
    left join questions b on b.organization = q.organization and b.number = q.follows
    where q.organization = ${organization} and q.number = ${number} and q.answer is not null`);
}

/** What the log keeps of an answer: its SHA-256. Undefined when there is no such event. */
export async function findToldDigest(tx: Tx, organization: string, number: number): Promise<string | null | undefined> {
  const row = await tx.one<{ content_hash: string | null }>(sql`
    select content_hash
    from events
    where organization = ${organization} and kind = 'question_answered' and question = ${number}`);
  return row?.content_hash;
}

export function sharingOf({ shared, shared_room }: Pick<AnswerRow, "shared" | "shared_room">): Sharing {
  return shared === "room" && shared_room !== null ? { room: shared_room } : shared === "organization" ? shared : "no";
}

function isOpen(tx: Tx, { organization, id }: ApprovalRow): Sql {
  return sql`organization = ${organization} and id = ${id} and state = 'open' and expires_at > ${tx.now}`;
}

/** The caller and the person are members still. */
function isThere({ organization, handle }: Caller, person: string): Sql {
  return sql`not exists (
    select 1
    from members m
    where m.organization = ${organization} and m.handle in (${sql.list([...new Set([handle, person])])})
      and m.deactivated_at is not null)`;
}
