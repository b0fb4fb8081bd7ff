import type { Store } from "../../store/store.ts";
import { findToldAfter, type StoredRow, type ToldFact } from "./queries.ts";

/** The kinds by which more than the log is checked, and that no index finds by what they tell of. */
const KINDS = ["question_asked", "question_answered", "message_retracted", "file_added"] as const;
export type ToldKind = (typeof KINDS)[number];

/** What the log tells of things beside it, gathered in one walk through it: to look each up would read the log for each. */
export interface Told {
  take(row: StoredRow): void;
  /** @param room  null for what is of no room. Undefined when the log has no word of it, nor had one since the walk. */
  find(kind: ToldKind, room: number | null, number: number): Promise<ToldFact | undefined>;
}

export function openTold(store: Store, organization: string): Told {
  const facts = new Map<string, ToldFact>();
  let upTo = 0;
  return {
    take(row) {
      upTo = Math.max(upTo, row.position);
      const { kind, room, actor, at, content_hash } = row;
      const number = row.question ?? row.message ?? row.file;
      if (row.pruned_at !== null || number === null || !KINDS.some((one) => one === kind)) return;
      facts.set(`${kind} ${room} ${number}`, { actor, at, content_hash });
    },
    async find(kind, room, number) {
      const known = facts.get(`${kind} ${room} ${number}`);
      return known ?? store.read((tx) => findToldAfter(tx, { organization, kind, room, number, after: upTo }));
    },
  };
}
