import { expect, test } from "vitest";
import { type Sql, sql } from "../../store/sql.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { isReached, listReachedEdges } from "./dependency-queries.ts";

onEachStore("walking dependencies", (start, kind) => {
  test("finds each step's edges by the task, however many edges there are", async () => {
    await using hub = await start();
    const plans: string[] = [];

    await hub.hub.store.read(async (tx) => {
      const explain = async (query: Sql) => {
        const asked = kind === "sqlite" ? sql`explain query plan ${query}` : sql`explain ${query}`;
        plans.push(JSON.stringify(await tx.all(asked)));
      };
      const watching = {
        ...tx,
        one: async <Row>(query: Sql) => (await explain(query), tx.one<Row>(query)),
        all: async <Row>(query: Sql) => (await explain(query), tx.all<Row>(query)),
      };
      if (kind === "postgres") await tx.all(sql`set local enable_seqscan = off`);
      await isReached(watching, "main", 1, [1], 2);
      await listReachedEdges(watching, "main", 1, [1]);
    });

    expect(plans).toHaveLength(2);
    // In SQLite's words: the key of an edge is asked for with the task, never by organization and room alone.
    if (kind === "sqlite") {
      for (const plan of plans) expect(plan).toMatch(/SEARCH d [^"]*organization=\? AND room=\? AND task=\?/);
    } else {
      for (const plan of plans) expect(plan).toContain("dependencies_pkey");
    }
  });
});
