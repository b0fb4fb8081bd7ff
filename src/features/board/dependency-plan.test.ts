import { expect, test } from "vitest";
import { type Sql, sql } from "../../store/sql.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { listReached } from "./dependency-queries.ts";

onEachStore("walking dependencies", (start, kind) => {
  test("finds each step's edges by the task, however many edges there are, and gathers nothing before it stops", async () => {
    await using hub = await start();
    const plans: string[] = [];

    await hub.hub.store.read(async (tx) => {
      const explain = async (query: Sql) => {
        const asked = kind === "sqlite" ? sql`explain query plan ${query}` : sql`explain ${query}`;
        plans.push(JSON.stringify(await tx.all(asked)));
      };
      const watching = { ...tx, all: async <Row>(query: Sql) => (await explain(query), tx.all<Row>(query)) };
      if (kind === "postgres") await tx.all(sql`set local enable_seqscan = off`);
      await listReached(watching, "main", 1, [1], 2);
    });

    expect(plans).toHaveLength(1);
    expect(plans[0]).not.toMatch(/MATERIALIZE|TEMP B-TREE|Sort|Aggregate/);
    // In SQLite's words: the key of an edge is asked for with the task, never by organization and room alone.
    if (kind === "sqlite") expect(plans[0]).toMatch(/SEARCH d [^"]*organization=\? AND room=\? AND task=\?/);
    else expect(plans[0]).toContain("dependencies_pkey");
  });
});
