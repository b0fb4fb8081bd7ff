import { describe, expect, test } from "vitest";
import { addMember, addPerson } from "../testkit/cast.ts";
import { TESTED_STORES } from "../testkit/databases.ts";
import { openTestStore } from "../testkit/store.ts";
import type { Store } from "../store/store.ts";
import { appendEvents, type EventQuery, listEvents, listNewestEvents } from "./event-log.ts";
import type { NewEvent } from "./events.ts";

const PUBLIC: EventQuery = { organization: "main", room: null, limit: 100 };
const ofPerson = (member: string, notBy?: string): EventQuery => ({ ...PUBLIC, member, notBy });

/** The questions that a reader finds, both ways. */
async function questionsFor(store: Store, query: EventQuery): Promise<(number | null)[]> {
  const [forth, back] = await store.read(async (tx) => [
    await listEvents(tx, query),
    await listNewestEvents(tx, query),
  ]);
  expect(back).toEqual(forth);
  return (forth ?? []).flatMap(({ question }) => (question === null ? [] : [question]));
}

/** A store with persons ann_a and ben, and ann_a's agents annbot and annxa. */
async function withPeople(kind: (typeof TESTED_STORES)[number]) {
  const made = await openTestStore(kind);
  await made.store.write("main", async (tx) => {
    for (const person of ["ann_a", "ben"]) await addPerson(tx, "main", person, { rooms: ["lobby"] });
    for (const agent of ["annbot", "annxa"]) await addMember(tx, "main", agent, { rooms: ["lobby"] }, "ann_a");
  });
  const tell = (by: string, event: NewEvent) =>
    made.store.write("main", async (tx) => appendEvents(tx, "main", by, [event]));
  return { ...made, tell };
}

describe.each(TESTED_STORES)("the log (%s)", (kind) => {
  test("tells of questions those only whom they are for, and their agents' owners", async () => {
    await using people = await withPeople(kind);
    await people.tell("ann_a", { kind: "question_asked", question: 1, only: ["ann_a", "ben", "ben"] });
    await people.tell("ben", { kind: "question_drafted", question: 1, only: ["ben"] });
    await people.tell("annbot", { kind: "question_asked", question: 2, only: ["annbot", "ann_a"] });
    await people.tell("ben", { kind: "question_answered", question: 3, only: ["annbot", "ben"] });
    await people.tell("ben", { kind: "answer_shared", question: 4 });

    const readers = [PUBLIC, ofPerson("ann_a"), ofPerson("ben"), ofPerson("annbot"), ofPerson("nobody")];
    const found = await Promise.all(readers.map((query) => questionsFor(people.store, query)));

    expect(found).toEqual([[], [1, 2, 3], [1, 1, 3], [], []]);
  });

  test("leaves out as no news what the reader's side did, unless it is especially for the reader", async () => {
    await using people = await withPeople(kind);
    await people.tell("ann_a", { kind: "question_asked", question: 1, only: ["ann_a"], concerns: ["ann_a"] });
    await people.tell("annbot", { kind: "question_asked", question: 2, only: ["ann_a"] });
    await people.tell("annbot", { kind: "question_asked", question: 3, only: ["ann_a"], concerns: ["ben", "ann_a"] });
    await people.tell("ann_a", { kind: "question_asked", question: 4, only: ["ann_a"], concerns: ["annbot"] });
    await people.tell("ben", { kind: "question_asked", question: 5, only: ["ann_a"] });
    await people.tell("annbot", { kind: "question_asked", question: 6, only: ["ann_a"], concerns: ["annxa"] });

    const readers = ["ann_a", "annbot", "annxa"];
    const found = await Promise.all(readers.map((reader) => questionsFor(people.store, ofPerson("ann_a", reader))));

    expect(found).toEqual([
      [3, 5],
      [4, 5],
      [5, 6],
    ]);
  });

  test("refuses what is for some only and yet would be found by others, and keeps the rest of the commit", async () => {
    await using people = await withPeople(kind);
    const before = await people.store.read((tx) => listEvents(tx, { organization: "main", room: 1, limit: 100 }));

    const wrong = [
      people.tell("ann_a", { kind: "question_asked", question: 1, room: 1, only: ["ann_a"] }),
      people.tell("ann_a", { kind: "question_asked", only: ["ann_a"] }),
    ];
    const right = people.tell("ann_a", { kind: "question_asked", question: 2, only: ["ann_a"] });

    for (const one of wrong) await expect(one).rejects.toThrow("question_asked is not for some only");
    await right;
    const after = await people.store.read((tx) => listEvents(tx, { organization: "main", room: 1, limit: 100 }));
    expect([after, await questionsFor(people.store, ofPerson("ann_a"))]).toEqual([before, [2]]);
  });

  test("notes more readers than one statement takes", async () => {
    await using people = await withPeople(kind);
    const only = ["ben", ...Array.from({ length: 199 }, (_, index) => `somebody-${index}`)];
    const events = Array.from({ length: 200 }, (_, index): NewEvent => {
      return { kind: "question_expired", question: index + 1, only };
    });

    await people.store.write("main", async (tx) => appendEvents(tx, "main", "crewroom", events));

    expect(await questionsFor(people.store, { ...ofPerson("ben"), limit: 500 })).toHaveLength(200);
  });
});
