import { expect, test } from "vitest";
import { type EventQuery, listEvents, listNewestEvents } from "../../core/event-log.ts";
import type { Tx } from "../../store/store.ts";
import { onEachStore } from "../../testkit/hub.ts";
import { fillLog, fillQuestions } from "../../testkit/log.ts";
import { watched } from "../../testkit/plans.ts";
import { findPrunedTo } from "../rooms/pruning-queries.ts";
import { findFurthest, listMentionEvents } from "./catch-up-queries.ts";
import { findLatestEvent, findStepEnd } from "./log-queries.ts";
import { findPlace, findShown, isWelcomed, recordHandovers } from "./queries.ts";
import { countWaiting, listParties, recordQuestionHandovers } from "./question-queries.ts";
import { countAhead } from "./scan.ts";

const KEY = { organization: "main", credential: "tok", session: "-", path: "tool", room: 1 };
const MENTIONS = { organization: "main", room: 1, member: "box2", after: 25_000, before: 60_000 };
const NEWS: EventQuery = { organization: "main", room: 1, after: 25_000, notBy: "box2", limit: 51 };

/** Everything that whats_new, catch_up, wait_for_change and read_events ask of the log and of places. */
const ASKED: Record<string, (tx: Tx) => Promise<unknown>> = {
  news: (tx) => listEvents(tx, NEWS),
  "news within a step": (tx) => listEvents(tx, { ...NEWS, before: 26_000 }),
  newest: (tx) => listNewestEvents(tx, { organization: "main", room: 1, limit: 101 }),
  "one task": (tx) => listEvents(tx, { organization: "main", room: 1, task: 7, after: 0, limit: 101 }),
  "the end of a step": (tx) => findStepEnd(tx, NEWS, "forward", 5_000),
  "the end of a step back": (tx) =>
    findStepEnd(tx, { organization: "main", room: 1, before: 25_000 }, "backward", 5_000),
  "how many": (tx) => countAhead(tx, NEWS),
  "the latest": (tx) => findLatestEvent(tx, "main", 1),
  "the oldest kept": (tx) => findPrunedTo(tx, { organization: "main", room: 1 }),
  "hand-overs": (tx) => recordHandovers(tx, KEY, "box2", { from: 25_000, to: 25_050 }),
  place: (tx) => findPlace(tx, KEY),
  welcomed: (tx) => isWelcomed(tx, KEY),
  shown: (tx) => findShown(tx, KEY),
  furthest: (tx) => findFurthest(tx, KEY),
  mentions: (tx) => listMentionEvents(tx, { ...MENTIONS, limit: 200 }),
};

const QUESTIONS = { organization: "main", room: null, member: "ben", after: 30_000, notBy: "benbot" };

/** What they ask besides for those who act for a person. */
const ASKED_OF_QUESTIONS: Record<string, (tx: Tx) => Promise<unknown>> = {
  news: (tx) => listEvents(tx, { ...QUESTIONS, limit: 21 }),
  "news within a step": (tx) => listEvents(tx, { ...QUESTIONS, before: 60_000, limit: 21 }),
  newest: (tx) => listNewestEvents(tx, { organization: "main", room: null, member: "ben", limit: 25 }),
  "the end of a step": (tx) => findStepEnd(tx, QUESTIONS, "forward", 500),
  "how many": (tx) => countAhead(tx, QUESTIONS),
  "hand-overs": (tx) => recordQuestionHandovers(tx, { ...KEY, room: 0 }, QUESTIONS, { from: 30_000, to: 60_000 }),
  waiting: (tx) => countWaiting(tx, "main", "ben", 1_000),
  parties: (tx) => listParties(tx, "main", [1, 2, 3]),
};

/** Plans that go through all rows, or through the events of every room, or sort what an index has in order. */
const WRONG = {
  sqlite: /^SCAN (?!counted)|TEMP B-TREE|sqlite_autoindex_events_1/,
  postgres: /Seq Scan on events|Sort|events_pkey/,
} as const;

/** The same of a person's: rows of the log are taken one by one, as its own rows name them. */
const WRONG_OF_QUESTIONS = {
  sqlite: /^SCAN (?!counted)|TEMP B-TREE|_events_1 \(organization=\? AND position[<>]/,
  postgres: /Seq Scan on (events|personal_events)|Sort/,
} as const;

onEachStore("the log", (start, kind) => {
  test("is read by ranges of an index, never from its beginning", async () => {
    await using hub = await start();
    for (let turn = 0; turn < 5; turn++) {
      await fillLog(hub, "lobby", "box1", 5_000);
      await fillLog(hub, "ops", "opsbox", 10_000);
    }
    if (kind === "postgres")
      await hub.hub.store.write("main", (tx) => tx.run({ texts: ["analyze events"], values: [] }));

    for (const [what, ask] of Object.entries(ASKED)) {
      const plans: string[] = [];
      await hub.hub.store.write("main", (tx) => ask(watched(tx, kind, plans)));
      expect(plans.length, what).toBeGreaterThan(0);
      // Places are few here, so Postgres may read them whole; of the log it must read the room's part only.
      const wrong = plans.filter((line) => WRONG[kind].test(line));
      expect(wrong, what).toEqual([]);
    }
  });

  test("is read for a person by the rows that name it, in their order", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let turn = 0; turn < 5; turn++) {
      await fillLog(hub, "lobby", "box1", 10_000);
      await fillQuestions(hub, "ben", "ann", 2_000);
      await fillQuestions(hub, "cleo", "ann", 2_000);
    }
    if (kind === "postgres")
      await hub.hub.store.write("main", async (tx) => {
        for (const table of ["events", "personal_events", "members"])
          await tx.run({ texts: [`analyze ${table}`], values: [] });
      });

    for (const [what, ask] of Object.entries(ASKED_OF_QUESTIONS)) {
      const plans: string[] = [];
      await hub.hub.store.write("main", (tx) => ask(watched(tx, kind, plans)));
      expect(plans.length, what).toBeGreaterThan(0);
      expect(
        plans.filter((line) => WRONG_OF_QUESTIONS[kind].test(line)),
        what,
      ).toEqual([]);
    }
  });
});
