import type { Caller } from "../../core/operation.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** By what a person is told. */
export const CHANNELS = ["ntfy", "slack", "web_push"] as const;
export type Channel = (typeof CHANNELS)[number];

/** As it is listed; the address is a secret, of which its host is shown. */
export interface NoticeRow {
  readonly id: string;
  readonly channel: Channel;
  readonly shown: string;
  readonly label: string;
  readonly created_at: number;
  readonly last_problem: string | null;
  readonly failing_since: number | null;
  readonly disabled_at: number | null;
  readonly disabled_reason: string | null;
}

export interface NewNotice extends Pick<NoticeRow, "id" | "channel" | "shown" | "label"> {
  /** Sealed for `notice/<id>`. */
  readonly address: string;
}

/** Those of the person who calls, oldest first; there are at most `LIMITS.noticesPerPerson`. */
export function listNoticesOf(tx: Tx, { organization, handle }: Caller): Promise<NoticeRow[]> {
  return tx.all<NoticeRow>(sql`
    select n.id, n.channel, n.shown, n.label, n.created_at, n.last_problem, f.failing_since, n.disabled_at, n.disabled_reason
    from notices n
    left join followers f on f.organization = n.organization and f.kind = 'notice' and f.id = n.id
    where n.organization = ${organization} and n.person = ${handle}
    order by n.id`);
}

/** Keeps it, and follows from here on what is told to that person. */
export async function insertNotice(tx: Tx, { organization, handle }: Caller, notice: NewNotice): Promise<void> {
  await tx.run(sql`
    insert into notices (organization, id, person, channel, address, shown, label, created_at)
    values (${organization}, ${notice.id}, ${handle}, ${notice.channel}, ${notice.address}, ${notice.shown},
      ${notice.label}, ${tx.now})`);
  await tx.run(sql`
    insert into followers (organization, kind, id, member, position)
    select organization, 'notice', ${notice.id}, ${handle}, position
    from logs
    where organization = ${organization}`);
}

/** Whether there was one of the caller's with that id; then it is gone. */
export async function deleteNoticeOf(tx: Tx, { organization, handle }: Caller, id: string): Promise<boolean> {
  const gone = await tx.run(sql`
    delete from notices
    where organization = ${organization} and id = ${id} and person = ${handle}`);
  if (gone === 1)
    await tx.run(sql`delete from followers where organization = ${organization} and kind = 'notice' and id = ${id}`);
  return gone === 1;
}
