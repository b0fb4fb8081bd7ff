import { connect } from "node:net";
import { expect, it } from "vitest";
import { onEachStore, type TestHub } from "../testkit/hub.ts";
import { fillLog } from "../testkit/log.ts";
import { type Frame, followStream } from "../testkit/stream.ts";

const post = (hub: TestHub, handle: string, body: string, room = "lobby") =>
  hub.as(handle).call("post_message", { body, room });

/** The refusal of a stream that must not begin. */
async function refused(hub: TestHub, handle: string, query: string, headers: Record<string, string> = {}) {
  const answer = await hub.as(handle).fetch(`/v1/stream${query}`, { headers });
  const { error } = (await answer.json()) as { error: { code: string } }; // our error shape
  return `${answer.status} ${error.code}`;
}

async function nextIds(stream: { next(event: string): Promise<Frame> }, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push((await stream.next("activity")).data["id"] as number);
  return ids;
}

/** What is no place in any log. */
const GARBAGE = [
  "banana",
  "-1",
  "1.5",
  "+1",
  "0x10",
  "1e3",
  "007",
  "1 2",
  "NaN",
  "null",
  "ALL",
  "Now",
  ".1",
  "1.",
  "x".repeat(4_000),
  "9".repeat(17),
  "²",
  "1;drop",
];

onEachStore("/v1/stream", (start) => {
  it("begins with the room, the place and the board, then tells what happened and what happens", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "build" });
    await post(hub, "box1", "one\r\n\n event: fake\u2028two");
    await using stream = await followStream(hub, "box2", "?after=all");

    expect(await stream.next("board")).toMatchObject({ data: [{ id: 1, title: "build" }] });
    expect(stream.comments[0]).toMatch(/^ ?room=lobby after=0 cursor=[0-9a-z]+\.0$/);
    const task = await stream.next("activity");
    expect(task.data).toEqual({
      id: expect.any(Number),
      ts: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      kind: "task_created",
      actor: "box1",
      task_id: 1,
      message_id: null,
      detail: "build",
      by_you: false,
    });
    expect(task.id).toMatch(new RegExp(`^[0-9a-z]+\\.${task.data["id"]}$`));
    const chat = await stream.next("chat");
    expect(chat.data).toEqual({
      id: 1,
      ts: expect.any(String),
      author: "box1",
      body: "one\r\n\n event: fake\u2028two",
      reply_to: null,
    });
    expect((await stream.next("activity")).data).toMatchObject({ kind: "message", message_id: 1 });

    await post(hub, "box2", "mine");
    expect((await stream.next("chat")).data).toMatchObject({ id: 2, body: "mine" });
    expect((await stream.next("activity")).data).toMatchObject({ actor: "box2", by_you: true });
  });

  it("goes on after the last id that was seen, whatever the address says", async () => {
    await using hub = await start();
    for (let n = 1; n <= 10; n++) await post(hub, "box1", `m${n}`);
    const seen: unknown[] = [];
    let last: string | undefined;
    while (seen.length < 10) {
      await using stream = await followStream(
        hub,
        "box2",
        "?after=all",
        last === undefined ? {} : { "last-event-id": last },
      );
      for (const _ of [1, 2]) {
        const frame = await stream.next("activity");
        seen.push(frame.data["message_id"]);
        last = frame.id;
      }
    }

    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("begins where it is told: at a number, a cursor, now, or 25 back", async () => {
    await using hub = await start();
    for (let n = 1; n <= 30; n++) await post(hub, "box1", `m${n}`);
    const events = (await hub.as("box1").call("read_events", { since_id: 0, limit: 500 }))["events"] as {
      id: number;
    }[];
    const ids = events.map((event) => event.id);
    const first = async (query: string) => {
      await using stream = await followStream(hub, "box2", query);
      return (await stream.next("activity")).data["id"];
    };
    const cursor = (await hub.as("box1").call("read_events", { since_id: 0, limit: 4 }))["cursor"] as string;

    expect(await first(`?after=${ids[3]}`)).toBe(ids[4]);
    expect(await first(`?after=${cursor}`)).toBe(ids[4]);
    expect(await first("?after=0")).toBe(ids[0]);
    for (const query of ["", "?after=", "?after=999999", "?after=9007199254740991", "?after_msg=0&room=lobby"])
      expect(await first(query), query).toBe(ids.at(-25));

    await using now = await followStream(hub, "box2", "?after=now");
    await now.next("board");
    await post(hub, "box1", "later");
    expect((await now.next("chat")).data).toMatchObject({ body: "later" });
  });

  it("refuses before it begins what it cannot follow", async () => {
    await using hub = await start();

    const cursor = (await hub.as("box1").call("read_events", {}))["cursor"] as string;
    const [epoch = ""] = cursor.split(".");
    for (const [id, refusal] of [
      ...GARBAGE.map((id) => [id, "400 unknown_cursor"] as const),
      ...GARBAGE.map((id) => [`${epoch}.${id}`, "400 unknown_cursor"] as const),
      [cursor.replace(".", ""), "400 unknown_cursor"],
      ["otherepoch00.1", "410 epoch_changed"],
      [`${epoch}.999999`, "400 cursor_ahead"],
    ] as const) {
      expect(await refused(hub, "box1", `?after=${encodeURIComponent(id)}`), id).toBe(refusal);
      expect(await refused(hub, "box1", "?after=all", { "last-event-id": id }), id).toBe(refusal);
    }
    for (const id of ["now", "all", "", "1, 2"])
      expect(await refused(hub, "box1", "", { "last-event-id": id }), id).toBe("400 unknown_cursor");
    expect(await refused(hub, "box1", "", { "last-event-id": "999999" })).toBe("400 cursor_ahead");
    expect(await refused(hub, "box1", "?after=%00")).toBe("400 unknown_cursor");
    expect(await refused(hub, "box1", "?after=%ff")).toBe("400 bad_input");
    expect(await refused(hub, "box1", "?after=1&after=2")).toBe("400 bad_input");
    expect(await refused(hub, "box2", "?room=ops")).toBe("403 room_not_granted");
    expect(await refused(hub, "box1", "?room=lobby&room=ops")).toBe("400 bad_input");
    expect(await refused(hub, "box1", "?nope=1")).toBe("400 bad_input");
    expect((await hub.as("box1").fetch("/v1/stream", { method: "HEAD" })).headers.get("content-type")).toBe(
      "text/event-stream",
    );
    await expect.poll(() => hub.hub.core.feed.open).toBe(0);
  });

  it("catches up with 2,000 events in order and without a pause", async () => {
    await using hub = await start();
    const last = await fillLog(hub, "lobby", "box1", 2_000);
    await using stream = await followStream(hub, "box2", "?after=all");
    const ids = await nextIds(stream, 2_000);

    expect(ids).toEqual(Array.from({ length: 2_000 }, (_, n) => last - 1_999 + n));
  });

  it("tells other rooms nothing, and wakes for its own", async () => {
    await using hub = await start();
    await using lobby = await followStream(hub, "box1", "?room=lobby&after=now");
    await using ops = await followStream(hub, "box1", "?room=ops&after=now");
    await post(hub, "box1", "secret", "ops");
    await post(hub, "box2", "public");

    expect((await ops.next("chat")).data).toMatchObject({ body: "secret" });
    expect((await lobby.next("chat")).data).toMatchObject({ body: "public" });
  });

  it("sends the board again after changes only when asked", async () => {
    await using hub = await start();
    await using once = await followStream(hub, "box2", "?after=now");
    await using always = await followStream(hub, "box2", "?after=now&snapshots=1");
    expect((await always.next("board")).data).toEqual([]);
    await hub.as("box1").call("create_task", { title: "build" });
    await post(hub, "box1", "said");

    expect((await always.next("board")).data).toMatchObject([{ title: "build" }]);
    await once.next("board");
    await expect(Promise.race([once.next("board"), once.next("chat").then(() => "chat")])).resolves.toBe("chat");
  });

  it("moves nobody's place and counts as nothing read", async () => {
    await using hub = await start();
    await post(hub, "box1", "news");
    await using stream = await followStream(hub, "box2", "?after=all");
    await stream.next("activity");

    expect(await hub.as("box2").call("whats_new", { peek: true })).toMatchObject({ count: 1 });
  });

  it("ends within two seconds of a revocation, and carries nothing after it", async () => {
    await using hub = await start();
    await using stream = await followStream(hub, "box3", "?after=now");
    await stream.next("board");
    await hub.as("boss").call("revoke_token", { agent: "box3" });
    await stream.ended();

    await expect.poll(() => hub.hub.core.feed.open).toBe(0);
  });

  it("ends when its room is deleted", async () => {
    await using hub = await start();
    await using stream = await followStream(hub, "boss", "?room=ops&after=now");
    await stream.next("board");
    await hub.as("boss").call("delete_room", { room: "ops" });
    await stream.ended();

    await expect.poll(() => hub.hub.core.feed.open).toBe(0);
  });

  it("ends when the hub stops, which does not wait for it", async () => {
    const hub = await start();
    const stream = await followStream(hub, "box2", "?after=now");
    await stream.next("board");
    await hub[Symbol.asyncDispose]();
    await stream.ended();

    await expect(fetch(`${hub.url}/health`)).rejects.toThrow();
  });

  it("frees its seat when the client goes, and refuses the 101st of a token", async () => {
    await using hub = await start();
    const streams = await Promise.all(Array.from({ length: 100 }, () => followStream(hub, "box2", "?after=now")));

    expect(streams.map((stream) => stream.status)).toEqual(Array(100).fill(200));
    expect(await refused(hub, "box2", "")).toBe("429 too_many_streams");
    expect(await refused(hub, "box1", "", { "last-event-id": "garbage" })).toBe("400 unknown_cursor");
    for (const stream of streams) await stream[Symbol.asyncDispose]();
    await expect.poll(() => hub.hub.core.feed.open).toBe(0);
  });

  it("is bounded for a reader that never reads, and others go on", async () => {
    await using hub = await start();
    const { port } = new URL(hub.url);
    const stalled = connect(Number(port), "127.0.0.1");
    stalled.pause();
    stalled.write(
      `GET /v1/stream?after=now HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hub.token("box3")}\r\n\r\n`,
    );
    await using reader = await followStream(hub, "box2", "?after=now");
    await reader.next("board");
    await expect.poll(() => hub.hub.core.feed.open).toBe(2);
    const size = 16_000;
    for (let n = 0; n < 200; n++) await post(hub, n % 2 ? "box1" : "boss", "x".repeat(size));
    for (let n = 1; n <= 200; n++) expect((await reader.next("chat")).data["id"]).toBe(n);

    expect(hub.hub.core.feed.open).toBe(2);
    stalled.destroy();
    await expect.poll(() => hub.hub.core.feed.open).toBe(1);
  });
});
