import { expect, test } from "vitest";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { fillLog } from "../src/testkit/log.ts";
import { connect } from "../src/testkit/mcp-client.ts";
import { followStream } from "../src/testkit/stream.ts";

/** Ways in which a hub before this one lost, repeated or hid what happened: none of them may come back. */

async function post(hub: TestHub, count: number, from = "box1", room = "lobby") {
  for (let number = 1; number <= count; number++)
    await hub.as(from).call("post_message", { body: `message ${number}`, room });
}

async function getNews(hub: TestHub, handle: string, query = ""): Promise<Value> {
  return (await (await hub.as(handle).fetch(`/v1/whats_new${query}`)).json()) as Value; // our own routes answer JSON
}

const messagesIn = (answer: Value) => answer["events"].map((event: Value) => event["message_id"]);

onEachStore("what happened", (start) => {
  test("HEAD and GET consume nothing, however often", async () => {
    await using hub = await start();
    await post(hub, 17);
    const counts: number[] = [];

    for (let round = 0; round < 3; round++) {
      expect(await (await hub.as("box2").fetch("/v1/whats_new", { method: "HEAD" })).text()).toBe("");
      counts.push((await getNews(hub, "box2"))["count"]);
    }

    expect(counts).toEqual([17, 17, 17]);
    expect((await hub.as("box2").call("whats_new"))["count"]).toBe(17);
  });

  test("an own event never hides a peer's", async () => {
    await using hub = await start();
    await fillLog(hub, "lobby", "box2", 120);
    await post(hub, 1);

    const peeked = await getNews(hub, "box2");
    const asked = await hub.as("box2").call("whats_new");

    expect([peeked, asked]).toMatchObject([
      { count: 1, remaining: 0, events: [{ actor: "box1", message_id: 1 }] },
      { count: 1, remaining: 0, events: [{ actor: "box1", message_id: 1 }] },
    ]);
  });

  test("a page that was cut says so, counts the rest truly, and the rest comes next", async () => {
    await using hub = await start();
    await post(hub, 130);
    await post(hub, 5, "opsbox", "ops");

    const peeked = await getNews(hub, "box2");
    const first = await hub.as("box2").call("whats_new", { limit: 100 });
    const second = await hub.as("box2").call("whats_new", { limit: 100 });

    expect([peeked, first, second].map(({ count, remaining, has_more }) => [count, remaining, has_more])).toEqual([
      [100, 30, true],
      [100, 30, true],
      [30, 0, false],
    ]);
    expect([...messagesIn(first), ...messagesIn(second)]).toEqual(Array.from({ length: 130 }, (_, n) => n + 1));
  });

  test("a reader that only peeks is not deaf after the hundredth unread event", async () => {
    await using hub = await start();
    await post(hub, 150);
    const { cursor } = await getNews(hub, "box2");
    await hub.as("box3").call("post_message", { body: "urgent" });

    const newest = await hub.as("box2").call("read_messages", { limit: 1 });
    const waited = await hub.as("box2").call("wait_for_change", { timeout_s: 30, since_id: cursor });
    const onwards = await hub.as("box2").call("read_events", { since_id: cursor });

    expect(newest).toMatchObject({ messages: [{ body: "urgent" }] });
    expect(waited).toMatchObject({ changed: true, unread: 51 });
    expect(onwards["events"].at(-1)).toMatchObject({ detail: "urgent" });
  });

  test("every way of reading carries the message's number, and it is not the event's", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "so that the numbers differ" });
    await post(hub, 1);
    await using stream = await followStream(hub, "box2", "?after=all");
    await using mcp = await connect(hub, "box2");

    await stream.next("activity");
    const seen = [
      (await stream.next("activity")).data,
      (await getNews(hub, "box2"))["events"].at(-1),
      (await hub.as("box2").call("read_events"))["events"].at(-1),
      (await mcp.call("whats_new", { peek: true }))["events"].at(-1),
    ];

    for (const event of seen) {
      expect(event).toMatchObject({ kind: "message", message_id: 1 });
      expect(event.id).not.toBe(1);
    }
  });

  test("two sessions of one token do not steal each other's news, nor do two tokens of one agent", async () => {
    await using hub = await start();
    const first = hub.as("box2");
    const second = await hub.add("box2", { rooms: ["lobby"] });
    await post(hub, 3);

    const answers: Value[] = [];
    for (const reader of [first.in("left"), first.in("right"), first, second])
      answers.push(await reader.call("whats_new"));

    expect(answers.map(messagesIn)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test("a new token under an old name begins at the beginning, not at the old one's place", async () => {
    await using hub = await start();
    await post(hub, 2);
    await hub.as("box2").call("whats_new");
    await hub.as("boss").call("revoke_token", { agent: "box2" });

    const again = await hub.add("box2", { rooms: ["lobby"] });

    expect(messagesIn(await again.call("whats_new"))).toEqual([1, 2]);
  });

  test("calls at the same time share what is new: nothing twice, nothing lost", async () => {
    await using hub = await start();
    const last = await fillLog(hub, "lobby", "box1", 1_000);

    const answers = await Promise.all(
      Array.from({ length: 6 }, () => hub.as("box2").call("whats_new", { limit: 200 })),
    );

    const ids = answers.flatMap((answer) => answer["events"].map((event: Value) => event["id"] as number));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, n) => last - 999 + n));
  });

  test("a room's information is shown once though nothing ever happens in the room", async () => {
    await using hub = await start();
    await hub.as("boss").call("create_room", { name: "quiet", onboarding_notes: "Read the board first." });
    const newcomer = await hub.add("newcomer", { rooms: ["quiet"] });

    const shown: boolean[] = [];
    for (let round = 0; round < 4; round++) shown.push("room_onboarding" in (await newcomer.call("whats_new")));

    expect(await hub.eventsOf("quiet")).toEqual([]);
    expect(shown).toEqual([true, false, false, false]);
  });

  test("a wait is not ended by the caller's own act, nor by what other rooms do", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "mine, before" });
    let ended = false;

    const waiting = box1.call("wait_for_change", { timeout_s: 30 }).finally(() => (ended = true));
    await expect.poll(() => hub.hub.core.feed.open).toBe(1);
    await box1.call("post_message", { body: "mine, during" });
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });
    await box1.call("list_rooms");
    const before = ended;
    await post(hub, 1, "box2");

    expect(before).toBe(false);
    expect(await waiting).toMatchObject({ changed: true, unread: 1 });
  });

  test("history reads give the newest first page and say how to reach every older one", async () => {
    await using hub = await start();
    await post(hub, 120);
    for (let number = 1; number <= 120; number++) await hub.as("box1").call("create_task", { title: `task ${number}` });
    const box2 = hub.as("box2");

    const pagesOf = async (operation: string, list: string) => {
      const ids: number[] = [];
      let where: Value = {};
      for (let more = true; more;) {
        const page = await box2.call(operation, where);
        const found = page[list].map((item: Value) => item["id"] as number).toSorted((a: number, b: number) => b - a);
        ids.push(...found);
        expect(page["has_more"]).toBe(page["next"] !== null);
        more = page["has_more"];
        where = page["next"];
      }
      return ids;
    };
    const newestFirst = Array.from({ length: 120 }, (_, n) => 120 - n);

    expect(await pagesOf("read_messages", "messages")).toEqual(newestFirst);
    expect(await pagesOf("list_tasks", "tasks")).toEqual(newestFirst);
    const { tasks, has_more } = (await (await box2.fetch("/v1/tasks")).json()) as Value;
    expect([tasks.length, has_more]).toEqual([100, true]);
  });

  test("a reader is told when what it never read is no longer kept", async () => {
    await using hub = await start();
    await post(hub, 1);
    await hub.as("box2").call("whats_new");
    await post(hub, 4);
    hub.later({ days: 3 });
    await hub.as("chief").call("set_retention", { days: 1 });
    await post(hub, 1);

    const refused = await hub.as("box2").try("whats_new");
    const cursor = refused.ok ? "" : refused.error["data"].cursor;
    const news = await hub.as("box2").call("whats_new", { ack: cursor });

    expect(refused).toMatchObject({ status: 410, code: "cursor_expired" });
    expect(messagesIn(news)).toEqual([null, 6]);
  });
});
