import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { TxView } from "./door.ts";
import { SQLITE_SEARCH } from "./search.ts";
import { type Sql, type SqlValue, textWriter } from "./sql.ts";
import type { Clock } from "./store.ts";

/** Statements of one connection, prepared once, and the `Tx` over them. */
export function transactions(db: DatabaseSync, clock: Readonly<Clock>) {
  const write = textWriter((index) => `?${index}`);
  const prepared = new Map<string, StatementSync>();
  const nowStatement = db.prepare("select cast(unixepoch('subsec') * 1000 as integer) as now");

  function statement(query: Sql): StatementSync {
    const text = write(query);
    const known = prepared.get(text);
    if (known) return known;
    if (prepared.size >= 500) prepared.clear();
    const made = db.prepare(text);
    prepared.set(text, made);
    return made;
  }
  // The library types values one by one; ours are a subset of what it takes.
  const values = (query: Sql) => query.values as SqlValue[];
  const methods = {
    search: SQLITE_SEARCH,
    all: async <Row>(query: Sql) => statement(query).all(...values(query)) as Row[],
    one: async <Row>(query: Sql) => statement(query).get(...values(query)) as Row | undefined,
    run: async (query: Sql) => Number(statement(query).run(...values(query)).changes),
  };
  return { begin: (): TxView => ({ now: Number(nowStatement.get()?.["now"]) + clock.offset, ...methods }) };
}
