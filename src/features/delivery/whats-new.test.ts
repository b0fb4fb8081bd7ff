import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";

type Item = { id: number; message_id: number; actor: string };
const itemsOf = (answer: Record<string, unknown>) => answer["events"] as Item[];
const messagesOf = (answer: Record<string, unknown>) => itemsOf(answer).map((item) => item.message_id);

async function post(hub: TestHub, count: number, from = "box1", room = "lobby") {
  for (let number = 1; number <= count; number++)
    await hub.as(from).call("post_message", { body: `message ${number}`, room });
}

/** A hub on which box2 has seen something already. */
async function caughtUp(start: () => Promise<TestHub>): Promise<TestHub> {
  const hub = await start();
  await fillLog(hub, "lobby", "box3", 1);
  await hub.as("box2").call("whats_new");
  return hub;
}

onEachStore("whats_new", (start) => {
  test("gives what others did since the last look, and then nothing", async () => {
    await using hub = await caughtUp(start);
    await post(hub, 2);
    await hub.as("box2").call("post_message", { body: "my own" });

    const first = await hub.as("box2").call("whats_new");
    const second = await hub.as("box2").call("whats_new");
    await post(hub, 1, "box3");
    const third = await hub.as("box2").call("whats_new");

    expect(first).toMatchObject({ room: "lobby", you_are: "box2", count: 2, remaining: 0, has_more: false });
    expect(itemsOf(first)[0]).toEqual({
      id: expect.any(Number),
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      kind: "message",
      actor: "box1",
      task_id: null,
      message_id: 1,
      detail: "message 1",
      by_you: false,
    });
    expect([messagesOf(first), messagesOf(second), messagesOf(third)]).toEqual([[1, 2], [], [4]]);
  });

  test("gives a newcomer the room from its beginning", async () => {
    await using hub = await start();
    await post(hub, 1);

    const first = await hub.as("watcher").call("whats_new");

    expect(first).toMatchObject({ since_event_id: 0, events: [{ message_id: 1 }] });
  });

  test("never lets the caller's own activity take the place of others'", async () => {
    await using hub = await caughtUp(start);
    await fillLog(hub, "lobby", "box2", 120);
    await post(hub, 1);

    const news = await hub.as("box2").call("whats_new", { limit: 10 });

    expect(news).toMatchObject({ count: 1, remaining: 0, has_more: false });
  });

  test("passes over any amount of own activity in bounded steps, and says that there may be more", async () => {
    await using hub = await caughtUp(start);
    await fillLog(hub, "lobby", "box2", 60_000);
    await post(hub, 1);

    const first = await hub.as("box2").call("whats_new");
    const second = await hub.as("box2").call("whats_new");
    const third = await hub.as("box2").call("whats_new");

    expect(first).toMatchObject({ count: 0, has_more: true, remaining_capped: true });
    expect(second).toMatchObject({ count: 1, has_more: false });
    expect(third).toMatchObject({ count: 0, has_more: false });
    expect(second["since_event_id"] - first["since_event_id"]).toBe(50_500);
  });

  test("counts what remains truly, whatever happens in other rooms, and no further than 1,000", async () => {
    await using hub = await caughtUp(start);
    await post(hub, 3);
    await post(hub, 9, "opsbox", "ops");
    await post(hub, 3);

    const first = await hub.as("box2").call("whats_new", { limit: 4 });
    const second = await hub.as("box2").call("whats_new", { limit: 4 });
    await fillLog(hub, "lobby", "box1", 1_500);
    const third = await hub.as("box2").call("whats_new", { limit: 4 });

    expect([messagesOf(first), messagesOf(second)]).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ]);
    expect(first).toMatchObject({ remaining: 2, has_more: true });
    expect(second).toMatchObject({ remaining: 0, has_more: false });
    expect(third).toMatchObject({ remaining: 1_000, remaining_capped: true, has_more: true });
  });

  test("keeps a place for each session and each credential, so that none eats another's news", async () => {
    await using hub = await start();
    const box2 = hub.as("box2");
    const readers = [box2, box2.in("one"), await hub.add("box2", { rooms: ["lobby"] })];
    for (const reader of readers) await reader.call("whats_new");
    await post(hub, 1);

    const answers = [];
    for (const reader of readers) answers.push(await reader.call("whats_new"));

    expect(answers.map(messagesOf)).toEqual([[1], [1], [1]]);
  });

  test("gives calls at the same time different news, and all of them", async () => {
    await using hub = await caughtUp(start);
    const last = await fillLog(hub, "lobby", "box1", 1_200);

    const calls = Array.from({ length: 6 }, () => hub.as("box2").call("whats_new", { limit: 200 }));
    const ids = (await Promise.all(calls)).flatMap(itemsOf).map((item) => item.id);

    const all = Array.from({ length: 1_200 }, (_, index) => last - 1_199 + index);
    expect(ids.toSorted((a, b) => a - b)).toEqual(all);
    expect(await hub.as("box2").call("whats_new")).toMatchObject({ count: 0 });
  });

  test("says what is especially for the caller", async () => {
    await using hub = await caughtUp(start);
    await hub.as("box1").call("post_message", { body: "@box2 look" });
    await hub.as("box1").call("post_message", { body: "@box3 look" });

    const [mine, other] = itemsOf(await hub.as("box2").call("whats_new"));

    expect(mine).toMatchObject({ message_id: 1, for_you: true });
    expect(other).not.toHaveProperty("for_you");
  });

  test("moves and writes nothing when there is nothing new, and nothing at all with peek", async () => {
    await using hub = await caughtUp(start);
    const places = () => hub.hub.store.read((tx) => tx.all({ texts: ["select * from places"], values: [] }));
    await hub.as("box2").call("whats_new");
    // A place moves once the answer was written out, after its caller has it.
    await expect.poll(places).toMatchObject([{ position: 3 }]);
    const quiet = await places();
    hub.later({ minutes: 5 });

    await hub.as("box2").call("whats_new");
    const afterQuiet = await places();
    await post(hub, 3);
    const peeked = await hub.as("box2").call("whats_new", { peek: true, limit: 2 });
    await hub.as("box3").call("whats_new", { peek: true });
    const afterPeek = await places();

    expect([afterQuiet, afterPeek]).toEqual([quiet, quiet]);
    expect(peeked).toMatchObject({ count: 2, remaining: 1, has_more: true });
    expect(messagesOf(await hub.as("box2").call("whats_new"))).toEqual([1, 2, 3]);
  });

  test("shows the room's information once to each credential, with who set it and when", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_room_info", { description: "Sensors", onboarding_notes: "Read the board first." });

    const first = await hub.as("box2").call("whats_new");
    const second = await hub.as("box2").call("whats_new");
    const otherSession = await hub.as("box2").in("one").call("whats_new");
    const other = await hub.as("box3").call("whats_new");

    const shown = {
      description: "Sensors",
      repo_url: "",
      onboarding_notes: "Read the board first.",
      set_by: "chief",
      set_ts: expect.stringMatching(/Z$/),
    };
    expect([first, other].map((answer) => answer["room_onboarding"])).toEqual([shown, shown]);
    expect([second, otherSession].map((answer) => "room_onboarding" in answer)).toEqual([false, false]);
  });

  test("refuses a room that is not granted, and input it does not know", async () => {
    await using hub = await start();

    const replies = [
      await hub.as("box2").try("whats_new", { room: "ops" }),
      await hub.as("box2").try("whats_new", { room: "nowhere" }),
      await hub.as("box2").try("whats_new", { limit: 0 }),
      await hub.as("box2").try("whats_new", { agent: "box1" }),
      await hub.as("box2").try("whats_new", { peek: true, ack: "0" }),
    ];

    expect(replies.map((reply) => !reply.ok && [reply.status, reply.code])).toEqual([
      [403, "room_not_granted"],
      [403, "room_not_granted"],
      [400, "bad_input"],
      [400, "bad_input"],
      [400, "bad_input"],
    ]);
  });
});
