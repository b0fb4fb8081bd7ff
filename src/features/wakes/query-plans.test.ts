import { expect, test } from "vitest";
import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { fillLog, fillQuestions } from "../../testkit/log.ts";
import { watched } from "../../testkit/plans.ts";
import { recordNudges } from "../delivery/nudge-queries.ts";
import { findTaskReceipt } from "../delivery/task-receipt-queries.ts";
import {
  countWakes,
  findPersonsAct,
  findRefusal,
  findSeen,
  forgetOldWakes,
  hasWakes,
  listCauses,
  listPaused,
  rearm,
  type Sleeper,
} from "./queries.ts";

const SLEEPER: Sleeper = {
  organization: "main",
  member: "box2",
  person: "ben",
  session: "s1",
  path: "watch",
  credential: "tok",
  room: 1,
};
const CALLER = { organization: "main", handle: "box2", person: "ben", path: "watch" };
const EVENTS = [1_000, 10_000, 20_000, 40_000];

/** Everything that is asked before a session is woken, and of receipts. */
const ASKED: Record<string, (tx: Tx) => Promise<unknown>> = {
  causes: (tx) => listCauses(tx, SLEEPER, EVENTS),
  "a person's act in a room": (tx) => findPersonsAct(tx, SLEEPER, 1, 40_000),
  "a person's act in questions": (tx) => findPersonsAct(tx, SLEEPER, null, 40_000),
  wakes: (tx) => countWakes(tx, SLEEPER, 100),
  seen: (tx) => findSeen(tx, SLEEPER, 1),
  "refusal of a chain": (tx) => findRefusal(tx, SLEEPER, 1, "chain"),
  "refusal of a budget": (tx) => findRefusal(tx, SLEEPER, 1, "budget"),
  "whether there are any": (tx) => hasWakes(tx, "main", "box2"),
  "who is paused": (tx) => listPaused(tx, "main", ["box1", "box2"]),
  // The queries look at no more of a caller than this.
  nudges: (tx) => recordNudges(tx, CALLER as never, 1, EVENTS),
  "a task's receipt": (tx) => findTaskReceipt(tx, "main", 1, 7),
};

const WRONG = {
  sqlite: /^SCAN (?!e |CONSTANT)|sqlite_autoindex_events_1 \(organization=\? AND position>/,
  postgres: /Seq Scan on (events|personal_events|wakes)/,
} as const;

onEachStore("what is asked before a session is woken", (start, kind) => {
  test("goes through no one else's part of the log, nor of what woke others", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let turn = 0; turn < 5; turn++) {
      await fillLog(hub, "lobby", "box1", 5_000);
      await fillLog(hub, "ops", "opsbox", 5_000);
      await fillQuestions(hub, "cleo", "ann", 1_000);
    }
    await hub.hub.store.write("main", async (tx) => {
      for (const member of ["box1", "box2", "box3"]) {
        await tx.run(sql`
          insert into wakes (organization, member, session, path, room, up_to, head, hops, at)
          with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
          select 'main', cast(${member} as text), 's1', 'watch', 1, n, n, 1, cast(${tx.now} as bigint)
          from numbers`);
      }
      for (const table of kind === "postgres" ? ["events", "personal_events", "wakes", "members"] : [])
        await tx.run({ texts: [`analyze ${table}`], values: [] });
    });

    for (const [what, ask] of Object.entries(ASKED)) {
      const plans: string[] = [];
      await hub.hub.store.write("main", (tx) => ask(watched(tx, kind, plans)));
      expect(plans.length, what).toBeGreaterThan(0);
      expect(
        plans.filter((line) => WRONG[kind].test(line)),
        what,
      ).toEqual([]);
    }
  }, 60_000);

  test("is forgotten when it counts no more, and counts no more once a person has come", async () => {
    await using hub = await start();
    const { store } = hub.hub;
    await store.write("main", (tx) =>
      tx.run(sql`
        insert into wakes (organization, member, session, path, room, up_to, head, hops, at)
        values ('main', 'box2', 's1', 'watch', 1, 5, 5, 1, cast(${tx.now} as bigint))`),
    );
    const used = async () => (await store.read((tx) => countWakes(tx, SLEEPER))).used;
    const left = () => store.read((tx) => tx.all(sql`select member from wakes`));

    const before = await used();
    await store.write("main", (tx) => rearm(tx, "main", "box2"));
    const after = await used();
    await store.write("main", (tx) => forgetOldWakes(tx, "main"));
    const kept = await left();
    hub.later({ hours: 3 });
    await store.write("main", (tx) => forgetOldWakes(tx, "main"));

    expect([before, after, kept.length, (await left()).length]).toEqual([1, 0, 1, 0]);
  });
});
