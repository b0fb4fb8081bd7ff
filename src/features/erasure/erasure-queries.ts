import { listAllRooms } from "../../access/queries.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { leftReason } from "../people/close-questions.ts";
import { isHandleTaken } from "../people/member-queries.ts";
import { keepFormerHandle } from "./former-handle-queries.ts";

/** Whose name is taken out of an organization, and what stands there instead. */
export interface Erasure {
  readonly organization: string;
  readonly handle: string;
  readonly former: string;
}

/**
 * Makes the member that stands for an erased person, and remembers that it is under way. Gives the one of an erasure that was stopped
 * half-way; nothing when there is no such person, or it is not deactivated.
 */
export async function beginErasure(tx: Tx, organization: string, handle: string): Promise<Erasure | undefined> {
  const marker = markerOf(organization, handle);
  const begun = await tx.one<{ value: string }>(sql`select value from instance where name = ${marker}`);
  if (begun) return { organization, handle, former: begun.value };
  const member = await tx.one<{ created_at: number }>(sql`
    select created_at
    from members
    where organization = ${organization} and handle = ${handle} and kind = 'person' and deactivated_at is not null`);
  if (!member) return undefined;
  const former = await freeHandle(tx, organization);
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at, deactivated_at)
    values (${organization}, ${former}, 'person', 'Former member', ${member.created_at}, ${tx.now})`);
  await tx.run(sql`
    insert into persons (organization, handle, role)
    values (${organization}, ${former}, 'member')`);
  await tx.run(sql`insert into instance (name, value) values (${marker}, ${former})`);
  return { organization, handle, former };
}

async function freeHandle(tx: Tx, organization: string): Promise<string> {
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count from former_handles where organization = ${organization}`);
  for (let number = (row?.count ?? 0) + 1; ; number++) {
    const handle = `former-member-${number}`;
    if (!(await isHandleTaken(tx, organization, handle))) return handle;
  }
}

/** Columns that hold a handle, by table. Where a reference to a member stands, the former one is there already. */
const HANDLES: Readonly<Record<string, readonly string[]>> = {
  members: ["owner"],
  rooms: ["info_set_by", "created_by"],
  tokens: ["created_by", "revoked_by"],
  tasks: ["assignee", "responsible", "reviewer", "created_by", "last_holder"],
  notes: ["author"],
  files: ["author"],
  mentions: ["member"],
  receipts: ["member"],
  task_receipts: ["member"],
  question_receipts: ["member"],
  personal_events: ["member"],
  followers: ["member"],
  hooks: ["member", "created_by"],
  invitations: ["handle", "created_by", "used_by"],
  questions: ["asker", "recipient", "asked_by", "closed_by"],
  drafts: ["recipient", "written_by"],
  approvals: ["person", "requested_by", "decided_by"],
};
export const RENAMED_TABLES = Object.keys(HANDLES);

/** Puts the former member where the person stands in a table. */
export async function renameIn(tx: Tx, { organization, handle, former }: Erasure, table: string): Promise<void> {
  for (const column of HANDLES[table] ?? [])
    await tx.run({
      texts: [`update ${table} set ${column} = `, ` where organization = `, ` and ${column} = `, ""],
      values: [former, organization, handle],
    });
}

/** Why the hub closed questions of somebody who left names that one. */
export async function renameInReasons(tx: Tx, { organization, handle, former }: Erasure): Promise<void> {
  await tx.run(sql`
    update questions
    set reason = ${leftReason(former)}
    where organization = ${organization} and reason = ${leftReason(handle)}`);
}

/** Messages that one page looks at. */
const PAGE = 20_000;

export interface Stretch {
  readonly room: number;
  readonly from: number;
}

/** The rooms of an organization in stretches of messages. */
export async function listStretches(tx: Tx, organization: string): Promise<Stretch[]> {
  const stretches: Stretch[] = [];
  for (const { id } of await listAllRooms(tx, organization)) {
    const row = await tx.one<{ last_message: number }>(sql`
      select last_message from rooms where organization = ${organization} and id = ${id}`);
    for (let from = 1; from <= (row?.last_message ?? 0); from += PAGE) stretches.push({ room: id, from });
  }
  return stretches;
}

export async function renameInMessages(tx: Tx, erasure: Erasure, { room, from }: Stretch): Promise<void> {
  const { organization, handle, former } = erasure;
  const which = sql`organization = ${organization} and room = ${room} and number between ${from} and ${from + PAGE - 1}`;
  await tx.run(sql`update messages set author = ${former} where ${which} and author = ${handle}`);
  await tx.run(sql`update messages set retracted_by = ${former} where ${which} and retracted_by = ${handle}`);
}

/** Removes what is the person's own: ways in, keys to repeat calls, presence; and at last the name. */
export async function endErasure(tx: Tx, { organization, handle }: Erasure): Promise<void> {
  for (const [table, column] of OWN)
    await tx.run({
      texts: [`delete from ${table} where organization = `, ` and ${column} = `, ""],
      values: [organization, handle],
    });
  await tx.run(sql`delete from imported where organization = ${organization} and kind = 'person' and new = ${handle}`);
  await keepFormerHandle(tx, organization, handle);
  await tx.run(sql`delete from instance where name = ${markerOf(organization, handle)}`);
}

const OWN = [
  ["idempotency", "member"],
  ["presence", "member"],
  ["wakes", "member"],
  ["tokens", "member"],
  ["passkeys", "person"],
  ["notices", "person"],
  ["person_rooms", "person"],
  ["persons", "handle"],
  ["members", "handle"],
] as const;

function markerOf(organization: string, handle: string): string {
  return `erasing ${organization}/${handle}`;
}
