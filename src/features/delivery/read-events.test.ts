import { expect, test } from "vitest";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { fillLog } from "../../testkit/log.ts";
import { pruneEvents } from "../rooms/pruning-queries.ts";

const idsOf = (answer: Record<string, unknown>) => (answer["events"] as { id: number }[]).map((event) => event.id);

async function post(hub: TestHub, count: number, from = "box1", room = "lobby") {
  for (let number = 1; number <= count; number++)
    await hub.as(from).call("post_message", { body: `message ${number}`, room });
}

onEachStore("read_events", (start) => {
  test("gives the newest unless asked otherwise, oldest first, with the way to older ones", async () => {
    await using hub = await start();
    await post(hub, 5);
    const reader = hub.as("watcher");

    const latest = await reader.call("read_events", { limit: 2 });
    const older = await reader.call("read_events", { limit: 2, ...latest["next"] });
    const oldest = await reader.call("read_events", { limit: 2, ...older["next"] });

    const [first = 0] = idsOf(oldest);
    expect([oldest, older, latest].flatMap(idsOf)).toEqual([0, 1, 2, 3, 4].map((step) => first + step));
    expect(latest).toMatchObject({
      room: "lobby",
      you_are: "watcher",
      count: 2,
      latest_event_id: first + 4,
      has_more: true,
      cursor_unchanged: true,
    });
    expect(oldest).toMatchObject({ has_more: false, next: null });
    expect(latest["events"][1]).toEqual({
      id: first + 4,
      ts: expect.stringMatching(/Z$/),
      kind: "message",
      actor: "box1",
      task_id: null,
      message_id: 5,
      detail: "message 5",
      by_you: false,
    });
  });

  test("starts at the oldest for an explicit 0, and goes on from an id or a cursor alike (P5)", async () => {
    await using hub = await start();
    await post(hub, 5);
    const reader = hub.as("box2");

    const first = await reader.call("read_events", { since_id: 0, limit: 2 });
    const byId = await reader.call("read_events", { ...first["next"], limit: 2 });
    const byCursor = await reader.call("read_events", { since_id: first["cursor"], limit: 2 });
    const done = await reader.call("read_events", { since_id: byId["cursor"] });

    expect([first, byId, done].flatMap(idsOf).length).toBe(5);
    expect(byCursor).toEqual(byId);
    expect(await reader.call("read_events", { since_id: done["cursor"] })).toMatchObject({ count: 0, has_more: false });
  });

  test("gives one kind or one task, and refuses a kind there is not", async () => {
    await using hub = await start();
    await post(hub, 2);
    await hub.as("box1").call("set_room_info", { description: "Sensors" });

    const infos = await hub.as("box2").call("read_events", { kind: "room_info_updated" });
    const ofTask = await hub.as("box2").call("read_events", { task_id: 1 });
    const refused = await hub.as("box2").try("read_events", { kind: "task_exploded" });

    expect(infos["events"]).toMatchObject([{ kind: "room_info_updated", actor: "box1" }]);
    expect(ofTask).toMatchObject({ count: 0, has_more: false });
    expect(refused).toMatchObject({ status: 400, code: "bad_input", message: expect.stringContaining("task_claimed") });
  });

  test("does not take pages of other kinds for the end", async () => {
    await using hub = await start();
    await hub.as("box1").call("set_room_info", { description: "Sensors" });
    await fillLog(hub, "lobby", "box1", 60_000);
    await hub.as("box1").call("set_room_info", { description: "Pumps" });

    for (const from of [{ since_id: 0 }, {}]) {
      let found = 0;
      let next: Record<string, number> | null = from;
      let calls = 0;
      for (; next; calls++) {
        const page: Record<string, unknown> = await hub
          .as("box2")
          .call("read_events", { kind: "room_info_updated", limit: 1, ...next });
        found += idsOf(page).length;
        next = page["next"] as Record<string, number> | null;
      }
      expect([found, calls]).toEqual([2, 2]);
    }
  });

  test("moves no place", async () => {
    await using hub = await start();
    await post(hub, 3);

    await hub.as("box2").call("read_events");
    await hub.as("box2").call("read_events", { since_id: 0 });

    expect(await hub.as("box2").call("whats_new")).toMatchObject({ count: 3 });
  });

  test("never shows another room or organization", async () => {
    await using hub = await start();
    await post(hub, 1, "opsbox", "ops");
    await hub.as("stranger").call("post_message", { body: "elsewhere" });

    expect(await hub.as("box2").call("read_events", { since_id: 0 })).toMatchObject({ count: 0 });
    expect(await hub.as("box2").try("read_events", { room: "ops" })).toMatchObject({ status: 403 });
  });

  test("refuses a cursor that is not its own, is ahead, or is of another history", async () => {
    await using hub = await start();
    const { cursor } = await hub.as("box2").call("read_events");
    const [epoch, head] = String(cursor).split(".");

    const replies = [];
    for (const since_id of [
      "nonsense",
      "-1",
      "1e3",
      " 1",
      `${epoch}.01`,
      "²",
      10 ** 15,
      `${epoch}.${Number(head) + 1}`,
      "zzzzzzzzzzzz.0",
    ]) {
      replies.push(await hub.as("box2").try("read_events", { since_id }));
    }
    for (const since_id of [-1, 1.5, true, {}, []]) replies.push(await hub.as("box2").try("read_events", { since_id }));

    expect(replies.map((reply) => !reply.ok && `${reply.status} ${reply.code}`)).toEqual([
      ...Array(6).fill("400 unknown_cursor"),
      "400 cursor_ahead",
      "400 cursor_ahead",
      "410 epoch_changed",
      ...Array(5).fill("400 bad_input"),
    ]);
  });

  test("says which events are no longer kept, with the oldest that is", async () => {
    await using hub = await start();
    await post(hub, 4);
    const ids = idsOf(await hub.as("box2").call("read_events"));
    await hub.hub.store.write("main", (tx) => pruneEvents(tx, { organization: "main", room: 1 }, ids[2] ?? 0));

    const refused = await hub.as("box2").try("read_events", { since_id: ids[0] });
    const kept = await hub.as("box2").call("read_events", { since_id: ids[2] });
    const oldest = await hub.as("box2").call("read_events", { since_id: 0 });

    expect(refused).toMatchObject({ status: 410, code: "cursor_expired", error: { data: { oldest: ids[3] } } });
    expect([kept, oldest].map(idsOf)).toEqual([[ids[3]], [ids[3]]]);
  });
});
