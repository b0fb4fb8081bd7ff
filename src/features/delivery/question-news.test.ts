import { expect, test } from "vitest";
import { execute } from "../../core/execute.ts";
import type { Sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";
import { ask } from "../../testkit/news.ts";
import { askAndSend, press } from "../../testkit/questions.ts";
import { whatsNew } from "./whats-new.ts";

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
/** Of those who have no part in a question, these act for a person. */
const PERSONS = /^(cleo|dora|zoe|zoebot|yuri)$/;
const CANARY = "canary-7a1c";

interface Item {
  readonly id: number;
  readonly kind: string;
  readonly message_id: number;
  readonly again?: true;
}
const questionsOf = ({ value }: { value: Value }) => value["questions"] as Item[];
const told = (answer: Value) => questionsOf({ value: answer }).map((item) => `${item.kind} q${item.message_id}`);

async function withPeople(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start();
  await hub.seatPeople();
  return hub;
}

/** What each of these is told that it was not told before. */
async function newsOf(hub: TestHub, ...handles: string[]): Promise<Record<string, string[]>> {
  const news: Record<string, string[]> = {};
  for (const handle of handles) news[handle] = told(await hub.as(handle).call("whats_new"));
  return news;
}

const askBen = (hub: TestHub, question = "How many retries?") =>
  hub.as("annbot").call("ask_person", { to_user_id: "ben", question });

onEachStore("news of questions", (start) => {
  test("come to the person asked and its agents, with how many wait, before the room's", async () => {
    await using hub = await withPeople(start);
    await askBen(hub);

    const ben = await hub.as("ben").call("whats_new");

    expect(ben).toMatchObject({ inbox: 1, count: 0, has_more: false });
    expect(ben["questions"]).toEqual([
      {
        id: expect.any(Number),
        ts: MOMENT,
        kind: "question_asked",
        actor: "annbot",
        message_id: 1,
        from: "ann",
        to: "ben",
        for_you: true,
      },
    ]);
    expect(ben["next"]).toBe("Read the questions with check_inbox.");
    expect(Object.keys(ben).slice(0, 5)).toEqual(["next", "room", "you_are", "inbox", "questions"]);
    expect(await hub.as("benbot").call("whats_new")).toMatchObject({
      inbox: 1,
      questions: [{ message_id: 1, for_you: true }],
    });
    expect(await newsOf(hub, "ben", "benbot")).toEqual({ ben: [], benbot: [] });
  });

  test("carry an answer to the asking side alone, and of drafts nothing there", async () => {
    await using hub = await withPeople(start);
    const { approval_id } = await askAndSend(hub);
    const waiting = await newsOf(hub, "ben", "benbot", "ann", "annbot", "annreader");

    await press(await hub.browser("ben"), approval_id);
    const answered = await newsOf(hub, "ben", "benbot", "ann", "annbot", "annreader");

    expect(waiting).toEqual({
      ben: ["question_asked q1", "approval_requested q1"],
      benbot: ["question_asked q1"],
      ann: [],
      annbot: [],
      annreader: [],
    });
    const answer = ["question_answered q1"];
    expect(answered).toEqual({ ben: [], benbot: [], ann: answer, annbot: answer, annreader: answer });
    const quiet = await hub.as("ben").call("whats_new");
    expect([quiet["inbox"], "next" in quiet]).toEqual([0, false]);
  });

  test("tell an agent that its draft was rejected, and the others of its side nothing", async () => {
    await using hub = await withPeople(start);
    const { approval_id } = await askAndSend(hub);
    await newsOf(hub, "benbot");

    await (await hub.browser("ben")).call("reject_draft", { approval_id, reason: "It is two." });

    expect(await newsOf(hub, "benbot", "ann", "annbot")).toEqual({
      benbot: ["draft_rejected q1"],
      ann: [],
      annbot: [],
    });
  });

  test("bring an agent the answer of its own absent owner, who is told that it asks", async () => {
    await using hub = await withPeople(start);
    await hub.as("annbot").call("ask_person", { to_user_id: "ann", question: "May I merge?" });
    const asked = await newsOf(hub, "ann", "annbot", "annreader");

    const page = await hub.browser("ann");
    await page.call("propose_response", { message_id: 1, draft_text: "Yes." });
    const { approval_id } = await page.call("send_response", { message_id: 1 });
    await press(page, approval_id);

    expect(asked).toEqual({ ann: ["question_asked q1"], annbot: [], annreader: [] });
    expect(await hub.as("annbot").call("whats_new", { peek: true })).toMatchObject({
      next: expect.stringContaining("check_replies"),
    });
    expect(await newsOf(hub, "ann", "annbot", "annreader")).toEqual({
      ann: [],
      annbot: ["question_answered q1"],
      annreader: [],
    });
  });

  test("go on with the question to the one it is handed on to, and tell the former not to whom it went further", async () => {
    await using hub = await withPeople(start);
    await askBen(hub);
    await hub.as("ben").call("redirect_question", { message_id: 1, to_user_id: "cleo" });
    await hub.as("cleo").call("redirect_question", { message_id: 1, to_user_id: "dora" });

    const [asker, former, latest] = [
      await hub.as("ann").call("whats_new"),
      await hub.as("benbot").call("whats_new"),
      await hub.as("dora").call("whats_new"),
    ];

    expect([told(asker ?? {}), told(former ?? {}), told(latest ?? {})]).toEqual([
      ["question_redirected q1", "question_redirected q1"],
      ["question_asked q1"],
      ["question_redirected q1"],
    ]);
    expect(former).toMatchObject({ inbox: 0, questions: [{ from: "ann" }] });
    expect(JSON.stringify(former)).not.toMatch(/cleo|dora/);
    expect(latest).toMatchObject({ inbox: 1, questions: [{ actor: "cleo", from: "ann", to: "dora", for_you: true }] });
  });

  test("are nobody else's: not of a third person, of agents without one, nor of another organization", async () => {
    await using hub = await withPeople(start);
    const { approval_id } = await askAndSend(hub, `${CANARY} answer`, { question: `${CANARY} question` });
    await press(await hub.browser("ben"), approval_id);
    const others = ["cleo", "dora", "box2", "boss", "watcher", "zoe", "zoebot", "yuri", "ruler"];

    const answers = await Promise.all(
      others.map(async (handle) => {
        const actor = hub.as(handle);
        return [
          await actor.call("whats_new"),
          await actor.call("read_events", { since_id: 0 }),
          await actor.call("wait_for_change", { timeout_s: 1, since_id: 0 }),
          await actor.call("list_agents"),
        ];
      }),
    );

    for (const [index, handle] of others.entries()) {
      const [news = {}, ...more] = answers[index] ?? [];
      expect(JSON.stringify([news, more]), handle).not.toMatch(/canary|question_|approval_|draft_/);
      expect(news["questions"], handle).toEqual(PERSONS.test(handle) ? [] : undefined);
    }
    // The two themselves have numbers and handles, never the texts.
    for (const handle of ["ann", "annbot", "ben", "benbot"])
      expect(JSON.stringify(await hub.as(handle).call("whats_new")), handle).not.toContain("canary");
    expect(JSON.stringify(await hub.eventsOf(null))).not.toContain("canary");
  });

  test("are not asked for by whoever acts for no person", async () => {
    await using hub = await withPeople(start);
    await askBen(hub);
    const asked: string[] = [];
    const note = ({ texts }: Sql) => void asked.push(texts.join("?"));
    const { store } = hub.hub;
    const read: typeof store.read = (work) =>
      store.read((tx) =>
        work({
          ...tx,
          all: (query) => (note(query), tx.all(query)),
          one: (query) => (note(query), tx.one(query)),
        }),
      );

    for (const handle of ["box2", "annbot"]) {
      const caller = await hub.hub.callers.byToken(hub.token(handle), { address: "127.0.0.1", session: "-" });
      await execute({ ...hub.hub.core, store: { ...store, read } }, whatsNew, { caller, input: { peek: true } });
      const personal = asked.filter((text) => /personal_events|questions/.test(text));
      expect(personal.length > 0, handle).toBe(handle === "annbot");
      asked.length = 0;
    }
  });
});

onEachStore("the place of one's questions", (start) => {
  test("offers again, marked, what was cut, and moves only over what was written out", async () => {
    await using hub = await withPeople(start);
    for (const question of ["one", "two", "three"]) await askBen(hub, question);

    const cut = await ask(hub, { limit: 2 }, "rest", "benbot");
    await cut.settled?.(false);
    const repeated = await ask(hub, {}, "rest", "benbot");
    await repeated.settled?.(true);

    expect(cut.value).toMatchObject({ questions_remaining: 1, has_more: true, inbox: 3 });
    expect(questionsOf(cut).map((item) => item.message_id)).toEqual([1, 2]);
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

    expect(
      answers
        .flatMap(questionsOf)
        .map((item) => item.message_id)
        .toSorted((a, b) => a - b),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("is one for all rooms of a session, and another for each credential and session", async () => {
    await using hub = await withPeople(start);
    await askBen(hub);

    const answers = [
      await hub.as("ben").call("whats_new"),
      await hub.as("ben").call("whats_new", { room: "ops" }),
      await hub.as("ben").in("another").call("whats_new"),
      await hub.as("benbot").call("whats_new"),
    ];

    expect(answers.map((answer) => told(answer).length)).toEqual([1, 0, 1, 1]);
  });

  test("is not moved by a peek", async () => {
    await using hub = await withPeople(start);
    await askBen(hub);

    const peeked = await hub.as("ben").call("whats_new", { peek: true });

    expect([told(peeked), await newsOf(hub, "ben")]).toEqual([["question_asked q1"], { ben: ["question_asked q1"] }]);
  });

  test("is acknowledged with the room's by one cursor, which stands for no more than both have shown", async () => {
    await using hub = await withPeople(start);
    await fillLog(hub, "lobby", "box1", 3);
    await askBen(hub);
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
      (answer["events"] as Item[]).map((item) => (item.again ? "again" : "new")),
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

    expect([first, second].map((answer) => questionsOf(answer).map((item) => item.message_id))).toEqual([[1, 2], [3]]);
    expect([first, second].map(({ value }) => [value["count"], value["has_more"]])).toEqual([
      [1, true],
      [1, false],
    ]);
  });

  test("takes no acknowledgement of a question it never offered", async () => {
    await using hub = await withPeople(start);
    await hub.as("ben").call("whats_new");
    await askBen(hub);
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

    const seen: Item[] = [];
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
