import { expect, it } from "vitest";
import type { Value } from "../testkit/actor.ts";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { askAndSend, press } from "../testkit/questions.ts";
import { type Frame, followStream, type TestStream } from "../testkit/stream.ts";

const CANARY = "canary-9b2e";

const askBen = (hub: TestHub, question = "How many retries?") =>
  hub.as("annbot").call("ask_person", { to_user_id: "ben", question });

/** What a stream shows until somebody posts "end": of activity and questions, in its order. */
async function framesUntilEnd(stream: TestStream): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (;;) {
    const frame = await stream.nextOf(["question", "activity"]);
    if (frame.data["detail"] === "end") return frames;
    frames.push(frame);
  }
}
const end = (hub: TestHub) => hub.as("box1").call("post_message", { body: "end" });
const kindsOf = (frames: readonly Frame[]) => frames.map(({ event, data }) => `${event} ${String(data["kind"])}`);

async function withPeople(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start();
  await hub.seatPeople();
  return hub;
}

onEachStore("/v1/stream", (start) => {
  it("tells the two of a question and their agents what happens to it: numbers and handles, and drafts to its recipient's side", async () => {
    await using hub = await withPeople(start);
    const names = ["ann", "annbot", "ben", "benbot"];
    const streams = await Promise.all(names.map((name) => followStream(hub, name, "?after=now")));
    const { approval_id } = await askAndSend(hub, `${CANARY} answer`, { question: `${CANARY} question` });
    await press(await hub.browser("ben"), approval_id);
    await end(hub);

    const seen = await Promise.all(streams.map(framesUntilEnd));

    const askers = ["question question_asked", "question question_answered"];
    const recipients = [
      "question question_asked",
      "question question_drafted",
      "question approval_requested",
      "question question_answered",
    ];
    expect(seen.map(kindsOf)).toEqual([askers, askers, recipients, recipients]);
    expect(JSON.stringify(seen)).not.toContain(CANARY);
    const [, byAgent = [], , byBenbot = []] = seen;
    expect(byAgent[0]?.data).toEqual({
      id: expect.any(Number),
      ts: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      kind: "question_asked",
      actor: "annbot",
      message_id: 1,
      from: "ann",
      to: "ben",
      by_you: true,
    });
    expect(byAgent[0]?.id).toMatch(new RegExp(`^[0-9a-z]+\\.${byAgent[0]?.data["id"]}$`));
    expect(byBenbot.map(({ data }) => data["by_you"])).toEqual([false, true, true, false]);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });

  it("tells of it nobody else", async () => {
    await using hub = await withPeople(start);
    const names = ["cleo", "dora", "box2", "boss", "watcher"];
    const streams = await Promise.all(names.map((name) => followStream(hub, name, "?after=all")));
    await using stranger = await followStream(hub, "zoe", "?after=all");
    const { approval_id } = await askAndSend(hub);
    await press(await hub.browser("ben"), approval_id);
    await end(hub);
    await hub.as("stranger").call("post_message", { body: "end" });

    for (const stream of [...streams, stranger]) expect(kindsOf(await framesUntilEnd(stream))).toEqual([]);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });

  it("goes on after the last id, of whichever kind, with both in the order of the log", async () => {
    await using hub = await withPeople(start);
    for (let number = 1; number <= 6; number++) {
      await askBen(hub, `question ${number}`);
      await hub.as("box1").call("post_message", { body: `message ${number}` });
    }
    await end(hub);
    const seen: Value[] = [];
    let last: string | undefined;
    while (seen.length < 12) {
      const from = last === undefined ? {} : { "last-event-id": last };
      await using stream = await followStream(hub, "benbot", "?after=all", from);
      for (const _ of [1, 2, 3]) {
        const frame = await stream.nextOf(["question", "activity"]);
        seen.push(frame.data);
        last = frame.id;
      }
    }

    expect(seen.map((data) => `${data["kind"]} ${data["message_id"]}`)).toEqual(
      [1, 2, 3, 4, 5, 6].flatMap((number) => [`question_asked ${number}`, `message ${number}`]),
    );
  });

  it("misses none of many that are asked while others write, and keeps their order", async () => {
    await using hub = await withPeople(start);
    await using stream = await followStream(hub, "ben", "?after=now");
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const asker = ["ann", "cleo", "dora"][index % 3] ?? "ann";
        await hub.as(asker).call("ask_person", { to_user_id: "ben", question: `number ${index}` });
        await hub.as("box1").call("post_message", { body: `between ${index}` });
      }),
    );
    await end(hub);

    const ids = (await framesUntilEnd(stream)).map(({ data }) => data["id"] as number);

    expect(ids).toHaveLength(80);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  it("looks back over the last 25 of both together", async () => {
    await using hub = await withPeople(start);
    await hub.as("box1").call("post_message", { body: "long ago" });
    for (let number = 1; number <= 10; number++) {
      await hub.as("cleo").call("ask_person", { to_user_id: "ben", question: `question ${number}` });
      await hub.as("dora").call("ask_person", { to_user_id: "ben", question: `question ${number}` });
    }
    for (let number = 1; number <= 9; number++) await hub.as("box1").call("post_message", { body: `${number}` });
    await end(hub);

    await using stream = await followStream(hub, "ben");
    await using plain = await followStream(hub, "box2");

    const [both, ofRoom] = [await framesUntilEnd(stream), await framesUntilEnd(plain)];
    expect([both.length, both.filter(({ event }) => event === "question").length, ofRoom.length]).toEqual([24, 15, 10]);
  });
});
