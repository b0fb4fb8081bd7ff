import { expect, test } from "vitest";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { listInteractions } from "./profile-queries.ts";

/** Questions between many pairs, as if an organization had asked for long. */
async function fillQuestions({ hub }: TestHub, count: number) {
  await hub.store.write("main", (tx) =>
    tx.run(sql`
      insert into questions (organization, number, asker, recipient, asked_by, question, state, thread, created_at, expires_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select 'main', n + 1, case n % 3 when 0 then 'ben' when 1 then 'cleo' else 'dora' end,
        case n % 3 when 0 then 'cleo' when 1 then 'dora' else 'ben' end, 'ben', '?', 'pending', n + 1,
        cast(${tx.now} as bigint), cast(${tx.now} as bigint)
      from numbers`),
  );
}

/** The plans of what is asked, one line each. */
function planned(tx: Tx, kind: TestHub["kind"], plans: string[]): Tx {
  return {
    ...tx,
    async all<Row>({ texts: [first = "", ...rest], values }: Sql) {
      const explain = kind === "sqlite" ? "explain query plan" : "explain";
      const rows = await tx.all<Record<string, unknown>>({ texts: [`${explain} ${first}`, ...rest], values });
      plans.push(...rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])));
      return [] as Row[];
    },
  };
}

onEachStore("what went between two people", (start, kind) => {
  test("is counted by each one's questions, not by going through everybody's", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await hub.as("ann").call("ask_person", { to_user_id: "ben", question: "One?" });
    await fillQuestions(hub, 10_000);
    if (kind === "postgres")
      await hub.hub.store.write("main", (tx) => tx.run({ texts: ["analyze questions"], values: [] }));

    const plans: string[] = [];
    for (const other of [undefined, "ben"])
      await hub.hub.store.read((tx) =>
        listInteractions(planned(tx, kind, plans), { organization: "main", person: "ann", other, limit: 100 }),
      );

    const byPerson = kind === "sqlite" ? /organization=\? AND (asker|recipient)=\?/ : /asker = 'ann'|recipient = 'ann'/;
    const looked = plans.filter((line) => (kind === "sqlite" ? line.includes("SEARCH q ") : /Index Cond/.test(line)));
    expect(looked.length).toBeGreaterThanOrEqual(4);
    expect(looked.filter((line) => !byPerson.test(line))).toEqual([]);
    expect(plans.filter((line) => /Seq Scan on questions|SCAN q/.test(line))).toEqual([]);
  });
});
