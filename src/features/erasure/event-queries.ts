import { hashOfEvent, HUB } from "../../core/event-log.ts";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import type { Erasure } from "./erasure-queries.ts";

type Digested = Parameters<typeof hashOfEvent>[0];
interface Row extends Digested {
  readonly redacted_at: number | null;
  readonly hash: string;
}

/** Positions that one page looks at. */
export const EVENTS_PAGE = 2_000;

/** Kinds whose detail somebody wrote, unless the hub did it; what people say of each other is theirs. */
const SAID: ReadonlySet<string> = new Set([
  "message",
  "note_added",
  "task_created",
  "question_asked",
  "question_drafted",
  "question_answered",
  "question_declined",
  "answer_shared",
  "file_added",
  "file_deleted",
]);

/**
 * Takes a name out of the log from a position on. The digest of each row that changes is made anew; of a text that was taken back the old one
 * stays, since it stands for what is not there.
 */
export async function renameInEvents(tx: Tx, erasure: Erasure, from: number): Promise<void> {
  const { organization, handle, former } = erasure;
  const rows = await tx.all<Row>(sql`
    select organization, position, room, at, kind, actor, task, message, file, question, detail, concerns, credential, address,
      content_hash, hash, redacted_at
    from events
    where organization = ${organization} and position between ${from} and ${from + EVENTS_PAGE - 1}
      and (actor = ${handle} or concerns like ${`%${handle}%`} or detail like ${`%${handle}%`})`);
  const name = new RegExp(`(?<![\\p{L}\\p{N}_-])${handle}(?![\\p{L}\\p{N}_-])`, "gu");
  for (const row of rows) {
    const isOwn = row.actor === handle;
    const renamed = {
      ...row,
      actor: isOwn ? former : row.actor,
      concerns: row.concerns.replaceAll(name, former),
      detail: SAID.has(row.kind) && row.actor !== HUB ? row.detail : row.detail.replaceAll(name, former),
      address: isOwn && row.address !== null ? "-" : row.address,
    };
    const { actor, concerns, detail, address, position } = renamed;
    const digest = row.redacted_at === null ? hashOfEvent(renamed) : row.hash;
    await tx.run(sql`
      update events
      set actor = ${actor}, concerns = ${concerns}, detail = ${detail}, address = ${address}, hash = ${digest}
      where organization = ${organization} and position = ${position}`);
  }
}
