import { expect, test } from "vitest";
import type { Caller } from "../../core/operation.ts";
import { type Sql, sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { watched } from "../../testkit/plans.ts";
import { listOpenApprovals } from "../approval/queries.ts";
import { reachOf } from "../delivery/queries.ts";
import { countWaiting } from "../delivery/question-queries.ts";
import { listInteractions } from "../people/profile-queries.ts";
import { insertQuestion } from "./move-queries.ts";
import { latestNewsAt, listAsked, listNews, listWaiting } from "./queries.ts";

const AGAIN = { organization: "main", asker: "ann", recipient: "ben", askedBy: "ann", text: "Again?", options: [] };

/** What asking, the inbox, the replies and the pages look for by whose it is. */
const ASKED: Record<string, (tx: Tx, caller: Caller) => Promise<unknown>> = {
  "what waits": (tx, caller) => listWaiting(tx, caller, 0, 21),
  "how much waits": (tx) => countWaiting(tx, "main", "ben", 1_000),
  "what is asked": (tx, caller) => listAsked(tx, caller, 20),
  news: (tx, caller) => listNews(tx, caller, 0, 21),
  "the latest news": (tx, caller) => latestNewsAt(tx, caller),
  approvals: (tx) => listOpenApprovals(tx, "main", "ben", { since: 0, limit: 21 }),
  "what went between two": (tx) =>
    listInteractions(tx, { organization: "main", person: "ann", other: "ben", limit: 1 }),
  "by what somebody is reached": (tx) => reachOf(tx, "main", ["ben"]),
  "another question": (tx) => insertQuestion(tx, { ...AGAIN, expiresAt: tx.now + 1_000 }),
};

/** Plans that go through everybody's questions, approvals, members or presence; of the last two Postgres sees that they are few. */
const WRONG = {
  sqlite:
    /^SCAN (?!counted|pairs|acting)|(questions|approvals|members|presence)\w* \(organization=\?( AND (number|told_at|expires_at|question)[<>]\?)?\)/m,
  postgres:
    /Seq Scan on (questions|approvals)|on (questions|approvals)[^\n]*\n *Index Cond: \(+organization = ('\w+'::text|\w+\.organization)\)( AND \((number|told_at|expires_at|question) [<>][^()]*\))*\)?   /,
} as const;

onEachStore("questions", (start, kind) => {
  test("are found by the indexes of whose they are, however many others there are", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (const state of ["answered", "awaiting_approval"] as const) {
      await fill(hub, { asker: "cleo", recipient: "dora", state, count: 10_000 });
      await fill(hub, { asker: "dora", recipient: "cleo", state, count: 10_000 });
      await fill(hub, { asker: "ann", recipient: "ben", state, count: 15 });
      await fill(hub, { asker: "ben", recipient: "ann", state, count: 15 });
    }
    const caller = await hub.hub.callers.byToken(hub.token("benbot"), { address: "::1", session: "-" });
    if (kind === "postgres") await analyze(hub);

    for (const [what, ask] of Object.entries(ASKED)) {
      const plans: string[] = [];
      await hub.hub.store.write("main", (tx) => ask(watched(tx, kind, plans), caller));
      expect(plans.length, what).toBeGreaterThan(0);
      expect(plans.join("\n"), what).not.toMatch(WRONG[kind]);
    }
  });
});

interface Between {
  readonly asker: string;
  readonly recipient: string;
  readonly state: "answered" | "awaiting_approval";
  readonly count: number;
}

/** Writes many questions of one to another, each with an answer that was approved or waits for it. */
function fill({ hub }: TestHub, { asker, recipient, state, count }: Between) {
  return hub.store.write("main", async (tx) => {
    const log = await tx.one<{ first: number }>(sql`
      update logs
      set last_question = last_question + ${count}
      where organization = 'main'
      returning last_question - ${count} as first`);
    const each = (columns: Sql) => sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}),
      filled (number, asker, recipient, state, at, later) as (
        select cast(${log?.first ?? 0} as bigint) + n, cast(${asker} as text), cast(${recipient} as text),
          cast(${state} as text), cast(${tx.now} as bigint), cast(${tx.now + 1_000_000} as bigint)
        from numbers)
      select 'main', number, ${columns}
      from filled`;
    await tx.run(sql`
      insert into questions (organization, number, asker, recipient, asked_by, question, state, thread, created_at, expires_at,
        draft, approval, answer, answered_at, closed_at, told_at)
      ${each(sql`asker, recipient, asker, 'Which?', state, number, at, later, 1, 'apr_' || number, 'This.', at,
        case when state = 'answered' then at end, case when state = 'answered' then number end`)}`);
    await tx.run(sql`
      insert into drafts (organization, question, revision, recipient, text, written_by, at)
      ${each(sql`1, recipient, 'This.', recipient, at`)}`);
    await tx.run(sql`
      insert into approvals (organization, question, id, revision, person, hash, nonce, state, requested_by, requested_at, expires_at)
      ${each(sql`'apr_' || number, 1, recipient, '', '', case when state = 'answered' then 'approved' else 'open' end,
        recipient, at, later`)}`);
  });
}

function analyze({ hub }: TestHub) {
  return hub.store.write("main", async (tx) => {
    for (const table of ["questions", "approvals", "drafts", "members"])
      await tx.run({ texts: [`analyze ${table}`], values: [] });
  });
}
