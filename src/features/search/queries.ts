import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { wordsOf } from "../../store/words.ts";

/** A text that can be found. `room` is its room's id, 0 for what belongs to none. */
export interface SearchKey {
  readonly organization: string;
  readonly kind: "answer";
  readonly room: number;
  readonly id: string;
}

/** Makes a text findable, in the transaction that writes it; what was kept under the key is replaced. */
export async function indexText(tx: Tx, key: SearchKey, text: string): Promise<void> {
  await dropText(tx, key);
  const words = [...marksOf(key), ...wordsOf(text, "searched")];
  await tx.run(sql`
    insert into search_index (organization, kind, room, id, at, words)
    values (${key.organization}, ${key.kind}, ${key.room}, ${key.id}, ${tx.now}, ${tx.search.kept(words)})`);
}

/** Takes a text out of the index. */
export async function dropText(tx: Tx, key: SearchKey): Promise<void> {
  await tx.run(sql`delete from search_index where ${tx.search.has(marksOf(key))}`);
}

export interface TextQuery {
  readonly organization: string;
  readonly kind: SearchKey["kind"];
  readonly words: readonly string[];
  readonly which: "all" | "any";
  readonly limit: number;
}

/** The newest texts that have these words. Who may see them is for the asker's own query to say. */
export function findTexts(tx: Tx, { organization, kind, words, which, limit }: TextQuery): Promise<{ id: string }[]> {
  if (words.length === 0) return Promise.resolve([]);
  return tx.all<{ id: string }>(sql`
    select id
    from search_index
    where ${tx.search.has([kindMark(organization, kind)], words, which)}
    order by at desc, id desc
    limit ${limit}`);
}

/** Words with a sign that no text's word has: the organization with the kind, and the one row. */
function marksOf({ organization, kind, room, id }: SearchKey): string[] {
  return [kindMark(organization, kind), `=${organization}=${kind}=${room}=${id}`];
}

function kindMark(organization: string, kind: string): string {
  return `=${organization}=${kind}`;
}
