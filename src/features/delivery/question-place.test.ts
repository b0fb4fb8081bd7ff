import { expect, test } from "vitest";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";
import { ask, type NewsItem, questionsOf } from "../../testkit/news.ts";

const numbersOf = (answer: { value: Value }) => questionsOf(answer).map((item) => item.message_id);

async function withPeople(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start();
  await hub.seatPeople();
  return hub;
}

const askBen = (hub: TestHub, question: string) => hub.as("annbot").call("ask_person", { to_user_id: "ben", question });

onEachStore("the place of one's questions", (start) => {
  test("offers again, marked, what was cut, and moves only over what was written out", async () => {
    await using hub = await withPeople(start);
    for (const question of ["one", "two", "three"]) await askBen(hub, question);

    const cut = await ask(hub, { limit: 2 }, "rest", "benbot");
    await cut.settled?.(false);
    const repeated = await ask(hub, {}, "rest", "benbot");
    await repeated.settled?.(true);

    expect(cut.value).toMatchObject({ questions_remaining: 1, has_more: true, inbox: 3 });
    expect(numbersOf(cut)).toEqual([1, 2]);
    expect(questionsOf(repeated).map((item) => [item.message_id, item.again])).toEqual([
      [1, true],
      [2, true],
      [3, undefined],
    ]);
    expect(repeated.value).toMatchObject({ has_more: false });
    expect(questionsOf(await ask(hub, {}, "rest", "benbot"))).toEqual([]);
  });

  test("gives calls at the same time different questions, and all of them", async () => {
    await using hub = await withPeople(start);
    for (let number = 1; number <= 9; number++) await askBen(hub, `question ${number}`);

    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(hub, { limit: 3 }, "rest", "benbot")));

    expect(answers.flatMap(numbersOf).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("is one for all rooms of a session, and another for each credential and session", async () => {
    await using hub = await withPeople(start);
    await askBen(hub, "How many retries?");

    const answers = [
      await hub.as("ben").call("whats_new"),
      await hub.as("ben").call("whats_new", { room: "ops" }),
      await hub.as("ben").in("another").call("whats_new"),
      await hub.as("benbot").call("whats_new"),
    ];

    expect(answers.map((value) => numbersOf({ value }))).toEqual([[1], [], [1], [1]]);
  });

  test("is not moved by a peek", async () => {
    await using hub = await withPeople(start);
    await askBen(hub, "How many retries?");

    const peeked = await hub.as("ben").call("whats_new", { peek: true });
    const asked = await hub.as("ben").call("whats_new");

    expect([peeked, asked].map((value) => numbersOf({ value }))).toEqual([[1], [1]]);
  });

  test("is acknowledged with the room's by one cursor, which stands for no more than both have shown", async () => {
    await using hub = await withPeople(start);
    await fillLog(hub, "lobby", "box1", 3);
    await askBen(hub, "How many retries?");
    await fillLog(hub, "lobby", "box1", 2);
    const answers: Value[] = [];

    let ack: unknown = "0";
    for (let turn = 0; turn < 4; turn++) {
      const answer = await ask(hub, { ack, limit: 2 }, "rest", "benbot");
      await answer.settled?.(true);
      answers.push(answer.value);
      ack = answer.value["cursor"];
    }
    const after = await ask(hub, {}, "rest", "benbot");

    const seen = answers.map((answer) => [
      (answer["events"] as NewsItem[]).map((item) => (item.again ? "again" : "new")),
      questionsOf({ value: answer }).map((item) => (item.again ? "again" : "new")),
    ]);
    // The question is shown at once, and again until the room has come as far.
    expect(seen).toEqual([
      [["new", "new"], ["new"]],
      [["new", "new"], ["again"]],
      [["new"], []],
      [[], []],
    ]);
    expect([after.value["count"], questionsOf(after)]).toEqual([0, []]);
  });

  test("is acknowledged no further than its page came, whatever the room has shown", async () => {
    await using hub = await withPeople(start);
    for (const question of ["one", "two", "three"]) await askBen(hub, question);
    await hub.as("box1").call("post_message", { body: "after them" });

    const first = await ask(hub, { ack: "0", limit: 2 }, "rest", "benbot");
    await first.settled?.(true);
    const second = await ask(hub, { ack: first.value["cursor"], limit: 2 }, "rest", "benbot");

    expect([first, second].map(numbersOf)).toEqual([[1, 2], [3]]);
    expect([first, second].map(({ value }) => [value["count"], value["has_more"]])).toEqual([
      [1, true],
      [1, false],
    ]);
  });

  test("takes no acknowledgement of a question it never offered", async () => {
    await using hub = await withPeople(start);
    await hub.as("ben").call("whats_new");
    await askBen(hub, "How many retries?");
    await hub.as("box1").call("post_message", { body: "later" });
    const { latest_event_id: last } = await hub.as("box2").call("read_events");

    const ofPerson = await hub.as("ben").try("whats_new", { ack: Number(last) - 1 });
    const ofAgent = await hub.as("box2").try("whats_new", { ack: Number(last) - 1 });

    expect(ofPerson).toMatchObject({ status: 400, code: "unknown_cursor" });
    expect(ofAgent.ok).toBe(true);
  });

  test("misses none of many questions that are asked at once, and keeps the log's order", async () => {
    await using hub = await withPeople(start);
    const askers = ["ann", "annbot", "cleo", "dora"];
    let isDone = false;
    const writing = Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await hub.as(askers[index % 4] ?? "ann").call("ask_person", { to_user_id: "ben", question: `number ${index}` });
        if (index % 5 === 0) await hub.as("box1").call("post_message", { body: "between" });
      }),
    ).finally(() => (isDone = true));

    const seen: NewsItem[] = [];
    for (let more = true, wasDone = false; more || !wasDone;) {
      wasDone = isDone;
      const answer = await hub.as("benbot").call("whats_new", { limit: 7 });
      seen.push(...questionsOf({ value: answer }));
      more = answer["has_more"] as boolean;
    }
    await writing;

    expect(seen.map((item) => item.id)).toEqual(seen.map((item) => item.id).toSorted((a, b) => a - b));
    expect(seen.map((item) => item.message_id).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });
});
