import { expect, test } from "vitest";
import { sweepRetention } from "../../housekeeping.ts";
import { sql } from "../../store/sql.ts";
import { onEachStore, type TestHub } from "../../testkit/hub.ts";
import { verdictOn } from "../integrity/verdict.ts";

const bodiesIn = async (hub: TestHub, handle = "box3") =>
  (await hub.as(handle).call("read_messages", { since_id: 0 }))["messages"].map(({ body }: { body: string }) => body);
const sweep = (hub: TestHub) => sweepRetention(hub.hub.core, new AbortController().signal);

/** Two old messages, an answer to one, a task with a note, a file; then, ten days later, another answer. */
async function fill(hub: TestHub) {
  const box1 = hub.as("box1");
  await box1.call("post_message", { body: "first, for @box2" });
  await box1.call("post_message", { body: "second", reply_to: 1 });
  await box1.call("create_task", { title: "stays" });
  await box1.call("add_note", { task_id: 1, body: "stays too" });
  await box1.call("put_file", { name: "old.txt", content_base64: "eA==" });
  await box1.call("post_message", { body: "of ops", room: "ops" });
  hub.later({ days: 10 });
  await box1.call("post_message", { body: "new", reply_to: 2 });
}

onEachStore("set_retention", (start) => {
  test("removes at once what is older, and leaves tasks, notes, other rooms and answers in their thread", async () => {
    await using hub = await start();
    await fill(hub);

    const set = await hub.as("chief").call("set_retention", { days: 5 });

    expect(set).toEqual({
      ok: true,
      room: "lobby",
      retention_days: 5,
      pruned_now: { events: 5, messages: 2, files: 1 },
    });
    expect(await bodiesIn(hub)).toEqual(["new"]);
    expect((await hub.as("box3").call("read_messages", { thread: 1 }))["messages"]).toMatchObject([{ reply_to: null }]);
    expect((await hub.as("box3").call("list_files"))["files"]).toEqual([]);
    expect(await hub.as("box3").call("get_task", { task_id: 1 })).toMatchObject({
      task: { title: "stays", notes: [{ body: "stays too" }] },
    });
    expect(await bodiesIn(hub, "opsbox")).toEqual(["of ops"]);
    expect((await hub.eventsOf("lobby")).map(({ kind }) => kind)).toEqual(["message", "retention_set"]);
    expect((await hub.eventsOf(null)).at(-1)).toMatchObject({
      kind: "room_pruned",
      actor: "chief",
      detail: "lobby: 5 events, 2 messages, 1 files",
    });
    expect((await hub.as("box3").call("search", { query: "second" }))["hits"]).toEqual([]);
  });

  test("leaves of each event its place and its digest, which verify accepts; a changed byte is still found", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.as("chief").call("set_room_policy", { lease_minutes: 7 });
    hub.later({ days: 10 });
    const digests = () =>
      hub.hub.store.read((tx) =>
        tx.all<object>(
          sql`select position, room, hash from events where organization = 'main' and room = 1 order by position`,
        ),
      );
    const before = await digests();

    await hub.as("chief").call("set_retention", { days: 5 });
    const whole = await verdictOn(hub.hub.store);
    const told = (await hub.as("boss").call("get_audit_log", { kind: "policy_changed" }))["events"];
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update events set detail = 'nothing' where organization = 'main' and kind = 'policy_changed'`),
    );
    const changed = await verdictOn(hub.hub.store);

    expect((await digests()).slice(0, before.length)).toEqual(before);
    expect(whole.problems).toEqual([]);
    expect(told).toMatchObject([{ detail: "lease_minutes", actor: "chief" }]);
    expect(changed.problem_count).toBe(1);
  });

  test("0 keeps everything, is what is meant without days, and shows in the room's information", async () => {
    await using hub = await start();
    await fill(hub);
    await hub.as("chief").call("set_retention", { days: 30 });
    const info = await hub.as("box1").call("get_room_info");

    const forEver = await hub.as("chief").call("set_retention");
    hub.later({ days: 365 });
    await sweep(hub);

    expect(info["retention_days"]).toBe(30);
    expect(forEver).toMatchObject({ retention_days: null, pruned_now: { events: 0, messages: 0, files: 0 } });
    expect(await bodiesIn(hub)).toHaveLength(3);
  });

  test("is for the room's admins, and takes whole days alone", async () => {
    await using hub = await start();
    const before = await hub.state();

    const replies = [
      await hub.as("box1").try("set_retention", { days: 5 }),
      await hub.as("roamer").try("set_retention", { days: 5 }),
      await hub.as("chief").try("set_retention", { days: 5, room: "ops" }),
    ];
    const wrong = [-1, 1.5, "5", "abc", [], 1e9, null, {}].map((days) =>
      hub.as("chief").try("set_retention", { days }),
    );

    expect(replies.map((reply) => !reply.ok && reply.code)).toEqual(["not_allowed", "not_allowed", "room_not_granted"]);
    expect((await Promise.all(wrong)).map(({ ok }) => ok)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(await hub.state()).not.toBe(before); // null is as if it were not given
  });

  test("is ChatRoomMCP's address too", async () => {
    await using hub = await start();
    await fill(hub);
    const post = async (handle: string, body: unknown) => {
      const response = await hub.as(handle).fetch("/v1/rooms/lobby/retention", {
        method: "POST",
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, ...((await response.json()) as object) };
    };

    expect(await post("chief", { days: 5 })).toMatchObject({
      status: 200,
      ok: true,
      room: "lobby",
      retention_days: 5,
      pruned_now: { messages: 2 },
    });
    expect(await post("chief", undefined)).toMatchObject({ status: 200, retention_days: null });
    expect(await post("chief", { days: "5" })).toMatchObject({ status: 400 });
    expect(await post("box1", { days: 5 })).toMatchObject({ status: 403 });
  });
});

onEachStore("retention", (start) => {
  test("removes by housekeeping what grows old, page by page", async () => {
    await using hub = await start();
    await hub.as("chief").call("set_retention", { days: 5 });
    const post = async (body: string) => hub.as("box1").call("post_message", { body });
    for (let number = 0; number < 30; number++) await post(`old ${number}`);
    hub.later({ days: 6 });
    await post("new");

    await sweep(hub);
    await sweep(hub);

    expect(await bodiesIn(hub)).toEqual(["new"]);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "room_pruned")).toEqual([
      {
        kind: "room_pruned",
        actor: "crewroom",
        detail: "lobby: 31 events, 30 messages, 0 files",
        concerns: [],
      },
    ]);
  });

  test("waits for a reader who is there and has not been told, but not for ever", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "told" });
    await hub.as("box2").call("whats_new");
    await hub.as("box1").call("post_message", { body: "not told" });
    await hub.as("chief").call("set_retention", { days: 5 });
    const present = async () => hub.as("box2").call("read_messages", { limit: 1 });

    hub.later({ days: 6 });
    await present();
    await sweep(hub);
    const held = await bodiesIn(hub);
    const news = (await hub.as("box2").call("whats_new", { peek: true }))["events"];
    hub.later({ days: 5 });
    await present();
    await sweep(hub);

    expect(held).toEqual(["not told"]);
    expect(news.map(({ detail }: { detail: string }) => detail)).toContain("not told");
    expect(await bodiesIn(hub)).toEqual([]);
  });

  test("waits for a webhook that goes on trying, and for none that was given up", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "not sent" });
    await hub.as("chief").call("set_retention", { days: 5 });
    hub.later({ days: 6 });
    const follow = (retryAt: number) =>
      hub.hub.store.write("main", async (tx) => {
        await tx.run(sql`delete from followers`);
        await tx.run(sql`
          insert into followers (organization, kind, id, room, position, retry_at)
          values ('main', 'hook', 'h1', 1, 0, ${tx.now + retryAt})`);
      });

    await follow(60_000);
    await sweep(hub);
    const held = await bodiesIn(hub);
    await follow(-2 * 86_400_000);
    await sweep(hub);

    expect(held).toEqual(["not sent"]);
    expect(await bodiesIn(hub)).toEqual([]);
  });

  test("waits for nobody who has been told, is away, or whose token has ended", async () => {
    await using hub = await start();
    for (const handle of ["box2", "box3"]) {
      await hub.as("box1").call("post_message", { body: "first" });
      await hub.as(handle).call("whats_new");
    }
    await hub.as("box1").call("post_message", { body: "second" });
    await hub.as("chief").call("set_retention", { days: 5 });
    hub.later({ days: 6 });
    await hub.as("box3").call("read_messages", { limit: 1 });
    await hub.as("boss").call("revoke_token", { agent: "box3" });

    await sweep(hub);

    expect(await bodiesIn(hub, "box1")).toEqual([]);
  });

  test("tells whoever is behind on every path, with the way on; a newcomer reads what is kept", async () => {
    await using hub = await start();
    const box2 = hub.as("box2");
    await hub.as("box1").call("post_message", { body: "told" });
    await box2.call("whats_new");
    const { cursor } = await box2.call("read_events", { limit: 1 });
    await hub.as("box1").call("post_message", { body: "missed" });
    hub.later({ days: 6 });
    await hub.as("box1").call("post_message", { body: "kept" });
    await hub.as("chief").call("set_retention", { days: 5 });

    const refused = [
      await box2.try("whats_new"),
      await box2.try("whats_new", { peek: true }),
      await box2.try("read_events", { since_id: cursor }),
      await box2.try("wait_for_change", { timeout_s: 1 }),
      await box2.try("wait_for_change", { timeout_s: 1, since_id: cursor }),
    ];
    const streams = [
      await box2.fetch(`/v1/stream?after=${cursor}`),
      await box2.fetch("/v1/stream", { headers: { "last-event-id": String(cursor) } }),
    ];
    const on = refused[0]?.ok === false ? refused[0].error["data"].cursor : "";
    const news = await box2.call("whats_new", { ack: on });
    const rest = await box2.call("read_events", { since_id: on });
    const newcomer = await hub.as("box3").call("whats_new");
    const fromOldest = await hub.as("box3").call("read_events", { since_id: 0, limit: 1 });

    for (const reply of refused) expect(reply).toMatchObject({ status: 410, code: "cursor_expired" });
    for (const stream of streams) {
      expect(stream.status).toBe(410);
      expect(await stream.json()).toMatchObject({ error: { code: "cursor_expired", data: { cursor: on } } });
    }
    const kinds = ["message", "retention_set"];
    for (const answer of [news, rest, newcomer])
      expect(answer["events"].map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
    expect(await hub.as("box3").call("read_events", fromOldest["next"])).toMatchObject({
      events: [{ kind: "retention_set" }],
    });
  });
});
