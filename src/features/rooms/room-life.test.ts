import { expect, test } from "vitest";
import { sweepRooms } from "../../housekeeping.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { followStream } from "../../testkit/stream.ts";
import { verdictOn } from "../integrity/verdict.ts";

const namesOf = async (hub: TestHub, handle: string) =>
  (await hub.as(handle).call("list_rooms"))["rooms"].map(({ name }: { name: string }) => name);
const sweep = (hub: TestHub) => sweepRooms(hub.hub.core, new AbortController().signal);
/** Everything that is kept of a room, by table. */
const rowsOf = (hub: TestHub, room: number) =>
  hub.hub.store.read(async (tx) => {
    const counts: Record<string, number> = {};
    for (const table of ["messages", "tasks", "notes", "files", "file_parts", "places", "token_rooms"])
      counts[table] = Number(
        (
          await tx.one<{ count: number }>({
            texts: [`select count(*) as count from ${table} where organization = 'main' and room = `, ""],
            values: [room],
          })
        )?.count,
      );
    return counts;
  });
const NOTHING = { messages: 0, tasks: 0, notes: 0, files: 0, file_parts: 0, places: 0, token_rooms: 0 };

onEachStore("rename_room", (start) => {
  test("keeps everybody in the room and frees its name, which then lets nobody in", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { room: "ops", body: "before" });

    const renamed = await hub.as("boss").call("rename_room", { room: "ops", to: "operations" });
    const old = await hub.as("box1").try("read_messages", { room: "ops" });
    const read = await hub.as("opsbox").call("read_messages");
    await hub.as("boss").call("create_room", { name: "ops" });

    expect(renamed).toEqual({ ok: true, room: "operations", was: "ops" });
    expect(old).toMatchObject({ status: 403, code: "room_not_granted" });
    expect(read).toMatchObject({ room: "operations", messages: [{ body: "before" }] });
    expect(await namesOf(hub, "opsbox")).toEqual(["operations"]);
    expect(await hub.as("opsbox").try("read_messages", { room: "ops" })).toMatchObject({ status: 403 });
    expect((await hub.eventsOf("operations")).at(-1)).toMatchObject({
      kind: "room_renamed",
      detail: "ops is now operations",
    });
  });

  test("is the organization administrator's, and refuses a taken or odd name", async () => {
    await using hub = await start();
    const before = await hub.state();

    const taken = await hub.as("boss").try("rename_room", { room: "ops", to: "lobby" });
    const odd = await Promise.all(
      ["", "Ops", "#3", "a b"].map((to) => hub.as("boss").try("rename_room", { room: "ops", to })),
    );
    const others = await Promise.all(
      ["chief", "box1", "roamer"].map((as) => hub.as(as).try("rename_room", { room: "lobby", to: "x" })),
    );

    expect(taken).toMatchObject({ status: 409, code: "room_exists" });
    for (const reply of odd) expect(reply).toMatchObject({ status: 400 });
    for (const reply of others) expect(reply).toMatchObject({ status: 403, code: "not_allowed" });
    expect(await hub.state()).toBe(before);
  });
});

onEachStore("archive_room", (start) => {
  test("lets a room be read and searched and nothing be written in it, until it is opened again", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "before" });
    await hub.as("box1").call("create_task", { title: "open" });

    await hub.as("chief").call("archive_room", { room: "lobby" });
    const refused = [
      await hub.as("box1").try("post_message", { body: "after" }),
      await hub.as("box1").try("create_task", { title: "after" }),
      await hub.as("box1").try("claim_task", { task_id: 1 }),
      await hub.as("box1").try("add_note", { task_id: 1, body: "after" }),
      await hub.as("box1").try("put_file", { name: "a", content_base64: "eA==" }),
      await hub.as("box1").try("set_room_info", { description: "after" }),
    ];
    const read = [
      (await hub.as("box2").call("read_messages"))["count"],
      (await hub.as("box2").call("whats_new"))["count"],
      (await hub.as("box2").call("search", { query: "before" }))["count"],
      (await hub.as("box2").call("list_tasks"))["count"],
    ];
    const info = await hub.as("box2").call("get_room_info");
    await hub.as("box1").call("post_message", { room: "ops", body: "elsewhere" });
    await hub.as("chief").call("archive_room", { room: "lobby", archived: false });
    await hub.as("box1").call("post_message", { body: "again" });

    for (const reply of refused) expect(reply).toMatchObject({ status: 409, code: "room_archived" });
    expect(read).toEqual([1, 3, 1, 1]);
    expect(info["archived"]).toBe(true);
    expect((await hub.eventsOf("lobby")).filter(({ kind }) => kind === "room_archived")).toMatchObject([
      { detail: "archived", actor: "chief" },
      { detail: "opened again" },
    ]);
  });

  test("is for the room's admins", async () => {
    await using hub = await start();

    for (const [handle, code] of [
      ["box1", "not_allowed"],
      ["roamer", "not_allowed"],
    ])
      expect(await hub.as(handle ?? "").try("archive_room", { room: "lobby" })).toMatchObject({ status: 403, code });
    expect(await hub.as("chief").try("archive_room", { room: "ops" })).toMatchObject({ code: "room_not_granted" });
  });
});

onEachStore("delete_room", (start) => {
  test("takes a confirmation, which must be its name", async () => {
    await using hub = await start();

    for (const confirm of ["", "ops", true, "LOBBY"])
      expect(await hub.as("chief").try("delete_room", { room: "lobby", confirm })).toMatchObject({ status: 400 });
    expect(await hub.as("chief").try("delete_room", { room: "lobby", confirm: "lobby" })).toMatchObject({ ok: true });
  });

  test("leaves no text of it anywhere, in the log neither, and verify finds nothing wrong", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "canary message" });
    await hub.as("box1").call("create_task", { title: "canary task", body: "canary body" });
    await hub.as("box1").call("add_note", { task_id: 1, body: "canary note" });
    await hub.as("box1").call("put_file", { name: "canary.txt", content_base64: "eA==" });
    await hub.as("box1").call("set_room_info", { description: "canary description" });
    await hub.as("box2").call("whats_new");

    await hub.as("boss").call("delete_room", { room: "lobby" });

    expect(await rowsOf(hub, 1)).toEqual(NOTHING);
    expect(await hub.state()).not.toContain("canary");
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    expect((await hub.eventsOf(null)).at(-1)).toMatchObject({ kind: "room_deleted", detail: "lobby" });
  });

  test("of a large room hides everything at once, and housekeeping removes the rest, page by page", async () => {
    await using hub = await start();
    await fillLarge(hub, 1_500);
    await using stream = await followStream(hub, "box2", "?after=now");

    const deleted = await hub.as("boss").call("delete_room", { room: "lobby" });
    const left = await rowsOf(hub, 1);
    await stream.ended();
    await hub.as("boss").call("create_room", { name: "lobby" });
    const seen = [
      await namesOf(hub, "boss"),
      (await hub.as("boss").call("search", { query: "large" }))["count"],
      (await hub.as("boss").call("read_messages", { room: "lobby" }))["count"],
      (await hub.as("box2").try("read_messages", { room: "lobby" })).ok,
      (await hub.as("boss").call("instance_state"))["rooms"].length,
    ];
    const during = (await verdictOn(hub.hub.store)).problems;
    await sweep(hub);

    expect(deleted["removed"]).toEqual({ messages: 1_500, tasks: 300, notes: 300, files: 0 });
    expect(left["messages"]).toBeGreaterThan(0);
    expect(left["token_rooms"]).toBe(0);
    expect(seen).toEqual([["lobby", "ops"], 0, 0, false, 2]);
    expect(during).toEqual([]);
    expect(await rowsOf(hub, 1)).toEqual(NOTHING);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    expect(await hub.state()).not.toContain("large");
  });
});

/** Many messages and tasks with a note each, posted as they always are. */
async function fillLarge(hub: TestHub, messages: number) {
  const box1 = hub.as("box1");
  for (let from = 0; from < messages; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, at) => box1.call("post_message", { body: `large ${from + at}` })));
  for (let from = 0; from < messages / 5; from += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const { created } = await box1.call("create_task", { title: `large ${from + at}` });
        await box1.call("add_note", { task_id: created.id, body: "large note" });
      }),
    );
}
