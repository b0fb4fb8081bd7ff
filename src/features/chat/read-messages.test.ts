import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";

async function post(hub: TestHub, count: number, from = "box1") {
  for (let number = 1; number <= count; number++)
    await hub.as(from).call("post_message", { body: `message ${number}` });
}
const idsOf = (answer: Record<string, unknown>) =>
  (answer["messages"] as { id: number }[]).map((message) => message.id);

onEachStore("read_messages", (start) => {
  test("gives the latest unless asked otherwise, oldest first, with the way to older ones", async () => {
    await using hub = await start();
    await post(hub, 7);

    const latest = await hub.as("box2").call("read_messages", { limit: 3 });
    const older = await hub.as("box2").call("read_messages", { limit: 3, ...latest["next"] });
    const oldest = await hub.as("box2").call("read_messages", { limit: 3, ...older["next"] });

    expect([idsOf(latest), idsOf(older), idsOf(oldest)]).toEqual([[5, 6, 7], [2, 3, 4], [1]]);
    expect(latest).toMatchObject({
      has_more: true,
      next: { before_id: 5 },
      latest_id: 7,
      room: "lobby",
      you_are: "box2",
    });
    expect(oldest).toMatchObject({ has_more: false, next: null });
  });

  test("starts at the oldest for an explicit 0 and goes forward page by page", async () => {
    await using hub = await start();
    await post(hub, 5);

    const first = await hub.as("box2").call("read_messages", { since_id: 0, limit: 3 });
    const second = await hub.as("box2").call("read_messages", { limit: 3, ...first["next"] });

    expect([idsOf(first), idsOf(second)]).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(second).toMatchObject({ has_more: false, next: null });
  });

  test("ends a page by bytes before it is too large, and never gives an empty one", async () => {
    await using hub = await start();
    for (let number = 0; number < 8; number++) await hub.as("box1").call("post_message", { body: "x".repeat(16_000) });

    const seen: number[] = [];
    let next: Record<string, number> | null = { since_id: 0 };
    while (next) {
      const page: Record<string, unknown> = await hub.as("box2").call("read_messages", next);
      expect(JSON.stringify(page).length).toBeLessThan(66_000);
      seen.push(...idsOf(page));
      next = page["next"] as Record<string, number> | null;
    }

    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("finds what named me", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "@box2 one" });
    await hub.as("box1").call("post_message", { body: "two" });
    await hub.as("box1").call("post_message", { body: "`@box2` three" });

    expect(idsOf(await hub.as("box2").call("read_messages", { mentions_me: true }))).toEqual([1]);
  });

  test("cuts a limit above the most down to it and refuses zero and less", async () => {
    await using hub = await start();

    expect(await hub.as("box2").try("read_messages", { limit: 1_000_000 })).toMatchObject({ ok: true });
    for (const limit of [0, -1, 1.5, "5", []]) {
      expect(await hub.as("box2").try("read_messages", { limit })).toMatchObject({ status: 400, code: "bad_input" });
    }
  });
});

onEachStore("retract_message", (start) => {
  test("lets the author or an admin take the text away, and leaves a marker", async () => {
    await using hub = await start();
    await post(hub, 2);

    const own = await hub.as("box1").call("retract_message", { message_id: 1 });
    const again = await hub.as("box1").call("retract_message", { message_id: 1 });
    await hub.as("chief").call("retract_message", { message_id: 2 });

    expect(own["message"]).toMatchObject({ id: 1, body: "", retracted: { by: "box1" } });
    expect(again).toEqual(own);
    const read = (await hub.as("box2").call("read_messages"))["messages"];
    expect(
      read.map((message: { body: string; retracted: { by: string } }) => [message.body, message.retracted.by]),
    ).toEqual([
      ["", "box1"],
      ["", "chief"],
    ]);
    expect((await hub.eventsOf("lobby")).map((event) => event.kind)).toEqual([
      "message",
      "message",
      "message_retracted",
      "message_retracted",
    ]);
  });

  test("leaves the text in no answer, no stream and no table", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "hunter2 is the password" });
    await hub.as("box1").call("post_message", { body: "something else" });
    await hub.as("box1").call("retract_message", { message_id: 1 });

    const stream = await followStream(hub, "watcher", "?after=all");
    const frames = [await stream.next("activity"), await stream.next("activity"), await stream.next("activity")];
    await stream[Symbol.asyncDispose]();
    const said = [
      await hub.as("box2").call("read_messages"),
      await hub.as("box2").call("read_events", { since_id: 0 }),
      await hub.as("watcher").call("whats_new"),
      frames,
      await hub.state(),
    ];

    expect(frames.map((frame) => frame.data["kind"])).toEqual(["message", "message", "message_retracted"]);
    expect(JSON.stringify(said)).toContain("something else");
    expect(JSON.stringify(said)).not.toContain("hunter2");
  });

  test("refuses others, and unknown messages", async () => {
    await using hub = await start();
    await post(hub, 1);
    const before = await hub.state();

    expect(await hub.as("box2").try("retract_message", { message_id: 1 })).toMatchObject({
      status: 403,
      code: "not_yours",
    });
    expect(await hub.as("box2").try("retract_message", { message_id: 9 })).toMatchObject({
      status: 404,
      code: "message_not_found",
    });

    expect(await hub.state()).toBe(before);
  });
});
