import { expect, test } from "vitest";
import { closeRoom, removePage } from "../src/features/rooms/removal-queries.ts";
import { operations } from "../src/operations.ts";
import { sql } from "../src/store/sql.ts";
import type { Reply, Value } from "../src/testkit/actor.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";

/** Ways in which a hub before this one lost, leaked or conjured up rooms: none of them may come back. */

const codeOf = (reply: Reply) => (reply.ok ? "done" : reply.code);

/** Every operation in a room, with input that would do something there. */
const inRooms = operations.filter(({ inRoom }) => inRoom);
const inputFor = ({ kind, example }: (typeof operations)[number]): Value =>
  kind === "wait" ? { ...example, timeout_s: 1 } : example;

async function namesOfRooms(hub: TestHub): Promise<string[]> {
  return (await hub.as("boss").call("list_rooms"))["rooms"].map((room: Value) => room["name"]);
}

onEachStore("rooms", (start) => {
  test("a room is deleted by its name alone: none, an empty one and a blank one delete nothing", async () => {
    await using hub = await start();
    const before = await hub.state();
    const boss = hub.as("boss");

    const codes = [];
    for (const room of [undefined, null, "", " ", "LOBBY", "lobby "])
      codes.push(codeOf(await boss.try("delete_room", { room })));
    const unknown = await boss.try("delete_room", { room: "nowhere" });
    const addresses = [];
    for (const path of ["/v1/rooms/", "/v1/rooms", "/v1/rooms/%20", "/v1/rooms//"])
      addresses.push((await boss.fetch(path, { method: "DELETE" })).ok);

    expect(codes).toEqual(codes.map(() => "bad_input"));
    expect(codeOf(unknown)).toBe("room_not_granted");
    expect(addresses).toEqual(addresses.map(() => false));
    expect(await hub.state()).toBe(before);
  });

  test("no credential makes a room by naming one, not even one for all rooms", async () => {
    await using hub = await start();

    for (const room of ["brandnew", "with\nbreak", "with space", "a/b", ""])
      for (const operation of inRooms) {
        const who = operation.needs === "admin" ? "boss" : "roamer";
        const reply = await hub.as(who).try(operation.name, { ...inputFor(operation), room });
        expect(codeOf(reply), `${operation.name} in ${JSON.stringify(room)}`).toBe("room_not_granted");
      }

    expect(await namesOfRooms(hub)).toEqual(["lobby", "ops"]);
  });

  test("a room that is there and one that is not are refused in the same words, whatever is asked of them", async () => {
    await using hub = await start();
    await hub.as("opsbox").call("post_message", { body: "secret" });
    await hub.as("opsbox").call("create_task", { title: "secret" });
    const box2 = hub.as("box2");
    const said = async ({ name, needs }: (typeof operations)[number], input: Value, asked: string) => {
      const reply = await hub.as(needs === "admin" ? "chief" : "box2").try(name, input);
      return reply.ok ? "done" : JSON.stringify({ ...reply.error, trace: "" }).replaceAll(asked, "ROOM");
    };

    for (const operation of inRooms) {
      const there = await said(operation, { ...inputFor(operation), room: "ops" }, "ops");
      const nowhere = await said(operation, { ...inputFor(operation), room: "xyz" }, "xyz");
      expect(there, operation.name).toBe(nowhere);
      expect(there).toContain("room_not_granted");
    }
    for (const path of ["/v1/messages", "/v1/tasks", "/v1/whats_new", "/v1/stream"]) {
      const there = await box2.fetch(`${path}?room=ops`);
      const nowhere = await box2.fetch(`${path}?room=xyz`);
      expect([there.status, nowhere.status], path).toEqual([403, 403]);
    }
  });

  test("a deleted room is no zombie: what was under way there is refused, and nothing of it is kept", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "one" });

    const posts = Array.from({ length: 30 }, (_, n) => box1.try("post_message", { body: `late ${n}` }));
    const deleting = hub.as("boss").call("delete_room", { room: "lobby" });
    const replies = await Promise.all([...posts, ...posts.map(() => box1.try("create_task", { title: "late" }))]);
    await deleting;

    for (const reply of replies) expect(["done", "room_not_granted"]).toContain(codeOf(reply));
    const left = await hub.hub.store.read((tx) =>
      tx.one<{ count: number }>(sql`select count(*) as count from messages where organization = 'main'`),
    );
    expect(left?.count).toBe(0);
    expect(await namesOfRooms(hub)).toEqual(["ops"]);
  });

  test("a room that was deleted after a call was let in breaks nothing: each call on it is answered or refused", async () => {
    const log = { organization: "main", room: 1 };
    for (const operation of inRooms) {
      await using hub = await start();
      await hub.as("box2").call("post_message", { body: "@box1 news" });
      await hub.as("box1").call("list_rooms");
      // By another process, so that what this one believes of box1's rooms is a moment old.
      await hub.hub.store.write("main", async (tx) => {
        await closeRoom(tx, log);
        // Of half of them something is left that housekeeping will remove.
        while (inRooms.indexOf(operation) % 2 === 0 && (await removePage(tx, log)));
      });

      const reply = await hub.as("box1").try(operation.name, inputFor(operation));

      expect(reply.ok || reply.status < 500, `${operation.name}: ${codeOf(reply)}`).toBe(true);
    }
  }, 120_000);
});
