import { HUB } from "../../core/event-log.ts";
import type { NewEvent } from "../../core/events.ts";
import type { Tx } from "../../store/store.ts";
import { close, listOpen } from "./move-queries.ts";
import { isOf } from "./queries.ts";

/** So many at once in one transaction; the next round takes the rest. */
const MOST_AT_ONCE = 200;

/**
 * Ends the questions whose deadline is over, with their requests for approval. Nothing could be done to them since: this only
 * tells. Gives the events, for the log in the same transaction.
 */
export async function expireQuestions(tx: Tx, organization: string): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const { number, asker, recipient } of await listOpen(tx, organization, "overdue", MOST_AT_ONCE)) {
    const row = await close(tx, organization, isOf(organization), number, "expire", { by: HUB });
    const people = [asker, recipient];
    if (row) events.push({ kind: "question_expired", question: number, actor: HUB, only: people, concerns: people });
  }
  return events;
}
