import { expect, test } from "vitest";
import { execute } from "../../core/execute.ts";
import type { Sql } from "../../store/sql.ts";
import type { Value } from "../../testkit/actor.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { questionsOf } from "../../testkit/news.ts";
import { askAndSend, press } from "../../testkit/questions.ts";
import { whatsNew } from "./whats-new.ts";

const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
/** Of those who have no part in a question, these act for a person. */
const PERSONS = /^(cleo|dora|zoe|zoebot|yuri)$/;
const CANARY = "canary-7a1c";

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

  test("say of an answer how surely it was approved, and of nothing else", async () => {
    await using hub = await withPeople(start);
    const { approval_id } = await askAndSend(hub);
    await press(await hub.browser("ben"), approval_id);

    const [ann, ben] = await Promise.all(["ann", "ben"].map((handle) => hub.as(handle).call("whats_new")));

    expect(ann?.["questions"]).toMatchObject([{ kind: "question_answered", actor: "ben", assurance: "confirmed" }]);
    expect(JSON.stringify(ben?.["questions"])).not.toContain("assurance");
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
