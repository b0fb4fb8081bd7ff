import { type Sql, textWriter } from "../store/sql.ts";
import type { Tx } from "../store/store.ts";
import type { StoreKind } from "./databases.ts";

/** A view of a transaction that notes each query's plan before it runs it. */
export function watched(tx: Tx, kind: StoreKind, plans: string[]): Tx {
  const write = textWriter((index) => (kind === "sqlite" ? `?${index}` : `$${index}`));
  async function explain(query: Sql) {
    // The texts of a query carry its placeholders between them; only the first grows.
    const [first = "", ...rest] = query.texts;
    const asked: Sql = {
      texts: [`${kind === "sqlite" ? "explain query plan" : "explain"} ${first}`, ...rest],
      values: query.values,
    };
    const rows = await tx.all<Record<string, unknown>>(asked);
    plans.push(
      ...rows.map((row) => `${String(row["detail"] ?? row["QUERY PLAN"])}   [${write(query).trim().slice(0, 60)}]`),
    );
  }
  return {
    ...tx,
    all: async (query) => (await explain(query), tx.all(query)),
    one: async (query) => (await explain(query), tx.one(query)),
  };
}
