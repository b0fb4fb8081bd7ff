import { describe, expect, it } from "vitest";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { type AnsweredQuestion, indexAnswer } from "./answer-queries.ts";
import { similarQuestions } from "./similar-questions.ts";

type Given = Partial<AnsweredQuestion> & Pick<AnsweredQuestion, "question" | "answer">;

/** Writes an answered question as the loop would leave it. */
async function answered(hub: TestHub, given: Given): Promise<number> {
  const organization = given.organization ?? "main";
  return hub.hub.store.write(organization, async (tx) => {
    const counter = await tx.one<{ number: number }>(sql`
      update logs set last_question = last_question + 1 where organization = ${organization}
      returning last_question as number`);
    const number = counter?.number ?? 0;
    const { asker = "ann", recipient = "ben", shared = "no", question, answer } = given;
    const [sharing, room] = typeof shared === "string" ? [shared, null] : ["room", shared.room];
    await tx.run(sql`
      insert into questions (organization, number, asker, recipient, asked_by, question, state, thread, created_at, expires_at,
        closed_at, answer, answered_at, shared, shared_room)
      values (${organization}, ${number}, ${asker}, ${recipient}, ${asker}, ${question}, 'answered', ${number}, ${tx.now},
        ${tx.now + 1}, ${tx.now}, ${answer}, ${tx.now + number}, ${sharing}, ${room})`);
    indexAnswer(tx, {
      organization,
      number,
      asker,
      recipient,
      question,
      answer,
      shared,
    });
    return number;
  });
}

onEachStore("search_answers", (start) => {
  const idsFor = async (hub: TestHub, handle: string, query: string) =>
    (await hub.as(handle).call("search_answers", { query }))["answers"].map(
      (answer: { message_id: number }) => answer.message_id,
    );

  it("finds what the two people know, what was shared with all or with a room, and nothing else", async () => {
    await using hub = await start();
    await hub.seatPeople();
    await answered(hub, { question: "How does retry work?", answer: "Three attempts." });
    await answered(hub, {
      question: "retry of what?",
      answer: "All.",
      asker: "ben",
      recipient: "cleo",
      shared: "organization",
    });
    await answered(hub, {
      question: "retry in ops",
      answer: "Never.",
      asker: "ben",
      recipient: "dora",
      shared: { room: 2 },
    });
    await answered(hub, {
      organization: "other",
      question: "retry",
      answer: "x",
      asker: "zoe",
      recipient: "yuri",
      shared: "organization",
    });

    expect(await idsFor(hub, "ann", "RETRY")).toEqual([2, 1]);
    expect(await idsFor(hub, "annbot", "retry")).toEqual([2, 1]);
    expect(await idsFor(hub, "ben", "retry")).toEqual([3, 2, 1]);
    expect(await idsFor(hub, "cleo", "retry")).toEqual([2]);
    expect(await idsFor(hub, "dora", "retry")).toEqual([3, 2]);
    expect(await idsFor(hub, "zoe", "retry")).toEqual([1]);
    expect(await idsFor(hub, "ann", "retry attempts")).toEqual([1]);
    expect(await idsFor(hub, "ann", "=main=answer=everyone")).toEqual([]);
  });

  it("goes on behind the last one seen", async () => {
    await using hub = await start();
    await hub.seatPeople();
    for (let count = 0; count < 5; count++) await answered(hub, { question: `retry ${count}`, answer: "yes" });

    const first = await hub.as("ann").call("search_answers", { query: "retry", limit: 2 });
    const second = await hub.as("ann").call("search_answers", { query: "retry", limit: 2, ...first["next"] });
    const third = await hub.as("ann").call("search_answers", { query: "retry", limit: 2, ...second["next"] });

    const pages = [first, second, third].map((page) =>
      page["answers"].map((one: { message_id: number }) => one.message_id),
    );
    expect(pages).toEqual([[5, 4], [3, 2], [1]]);
    expect([first["has_more"], second["has_more"], third["has_more"]]).toEqual([true, true, false]);
  });

  it("is not for an agent of nobody", async () => {
    await using hub = await start();

    expect(await hub.as("box1").try("search_answers", { query: "retry" })).toMatchObject({
      status: 403,
      code: "not_allowed",
    });
  });
});

onEachStore("similar questions", (start) => {
  describe("those that are half the same", () => {
    it("are shown the most alike first, but never what the caller may not see", async () => {
      await using hub = await start();
      await hub.seatPeople();
      await answered(hub, { question: "What is the retry policy of payments?", answer: "a" });
      await answered(hub, { question: "What is the retry policy?", answer: "b" });
      await answered(hub, { question: "Who likes cake?", answer: "c" });
      await answered(hub, { question: "retry policy payments", answer: "d", asker: "ben", recipient: "cleo" });
      const caller = await hub.hub.callers.byToken(hub.token("ann"), { address: "::1", session: "-" });

      const similar = await hub.hub.store.read((tx) => similarQuestions(tx, caller, "the retry policy of payments?"));

      expect(similar.map((row) => row.number)).toEqual([1, 2]);
    });
  });
});
