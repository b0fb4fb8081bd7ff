import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { readAnswers } from "./answer-queries.ts";
import type { FoundText, TextKind } from "./queries.ts";

/** A found text as its own row has it now. `at`: ms since 1970, UTC. */
export interface TextRow {
  readonly room: number;
  /** Of the task, for a note; of the question, for an answer. */
  readonly number: number;
  readonly note: number | null;
  readonly author: string;
  readonly at: number;
  readonly title: string;
  readonly body: string;
}

/**
 * Reads the rows of found texts, each under its own condition: what was retracted, pruned or ended since, or what the caller
 * may not see, is left out. Keys are those of `textName`.
 */
export async function readTexts(
  tx: Tx,
  caller: Caller,
  found: readonly FoundText[],
): Promise<ReadonlyMap<string, TextRow>> {
  const rows = new Map<string, TextRow>();
  for (const [kind, texts] of Map.groupBy(found, (text) => text.kind)) {
    const read = await READERS[kind](tx, caller, texts);
    for (const row of read) rows.set(textName({ kind, room: row.room, id: idOf(row) }), row);
  }
  return rows;
}

export function textName({ kind, room, id }: Pick<FoundText, "kind" | "room" | "id">): string {
  return `${kind}/${room}/${id}`;
}

function idOf({ number, note }: TextRow): string {
  return note === null ? String(number) : `${number}.${note}`;
}

type Reader = (tx: Tx, caller: Caller, found: readonly FoundText[]) => Promise<readonly TextRow[]>;

const READERS: Readonly<Record<TextKind, Reader>> = {
  message: (tx, caller, found) =>
    tx.all<TextRow>(sql`
      select room, number, null as note, author, at, '' as title, body
      from messages
      where organization = ${caller.organization} and retracted_at is null and ${areAmong(caller, found, isNumber)}`),
  task: (tx, caller, found) =>
    tx.all<TextRow>(sql`
      select room, number, null as note, created_by as author, updated_at as at, title, body
      from tasks
      where organization = ${caller.organization} and ${areAmong(caller, found, isNumber)}`),
  note: (tx, caller, found) =>
    tx.all<TextRow>(sql`
      select room, task as number, number as note, author, at, '' as title, body
      from notes
      where organization = ${caller.organization} and ${areAmong(caller, found, isNote)}`),
  file: (tx, caller, found) =>
    tx.all<TextRow>(sql`
      select room, number, null as note, author, at, name as title, '' as body
      from files
      where organization = ${caller.organization} and (expires_at is null or expires_at > ${tx.now})
        and ${areAmong(caller, found, isNumber)}`),
  async answer(tx, caller, found) {
    const rows = await readAnswers(
      tx,
      caller,
      found.map(({ id }) => Number(id)),
    );
    return rows.map(({ number, recipient, answered_at, question, answer }) => ({
      room: 0,
      number,
      note: null,
      author: recipient,
      at: answered_at,
      title: question,
      body: answer,
    }));
  },
};

/** A condition: the row is one of these, and in a room that the caller may enter. */
function areAmong({ rooms }: Caller, found: readonly FoundText[], isOne: (ids: readonly string[]) => Sql): Sql {
  const granted = new Set([...rooms.values()].map(({ id }) => id));
  const groups = [...Map.groupBy(found, ({ room }) => room)]
    .filter(([room]) => granted.has(room))
    .map(([room, texts]) => sql`(room = ${room} and ${isOne(texts.map(({ id }) => id))})`);
  return groups.length === 0 ? sql`1 = 0` : sql`(${sql.join(groups, " or ")})`;
}

function isNumber(ids: readonly string[]): Sql {
  return sql`number in (${sql.list(ids.map(Number))})`;
}

function isNote(ids: readonly string[]): Sql {
  const notes = ids.map((id) => {
    const [task, note] = id.split(".").map(Number);
    return sql`(task = ${task ?? 0} and number = ${note ?? 0})`;
  });
  return sql`(${sql.join(notes, " or ")})`;
}
