import { expect, test } from "vitest";
import type { Value } from "../src/testkit/actor.ts";
import { onEachStore } from "../src/testkit/hub.ts";
import { connect } from "../src/testkit/mcp-client.ts";

/** What ChatRoomMCP's users could rely on, in our words, over HTTP against a running hub. */

const kindsOf = (answer: Value) => answer["events"].map((event: Value) => event["kind"]);
const idsOf = (items: Value[]) => items.map((item) => item["id"]);

onEachStore("identity and rooms", (start) => {
  test("tools are listed, and the token alone says who calls and from which room", async () => {
    await using hub = await start();
    await using mcp = await connect(hub, "box1");

    const names = (await mcp.tools()).map((tool) => tool.name);
    const tasks = await mcp.call("list_tasks", {});

    expect(names).toEqual(expect.arrayContaining(["post_message", "claim_task", "whats_new"]));
    expect(tasks).toMatchObject({ you_are: "box1", room: "lobby" });
  });

  test("unknown and missing tokens are refused", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0", CREWROOM_CHAT_LOGIN: "off" });

    for (const authorization of [
      "",
      "Bearer ",
      "Bearer nonsense",
      `Bearer ${hub.token("box1").slice(0, -1)}x`,
      "Basic Ym94MTp4",
    ]) {
      for (const path of ["/v1/tasks", "/api/list_tasks", "/mcp", "/v1/stream"]) {
        const response = await fetch(`${hub.url}${path}`, { headers: authorization ? { authorization } : {} });
        expect(response.status, `${path} ${authorization}`).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
        await response.text();
      }
    }
  });

  test("a task lands in its room alone; a second granted room can be used, another cannot", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "in lobby" });
    await hub.as("box1").call("create_task", { title: "in ops", room: "ops" });

    const lobby = await hub.as("box2").call("list_tasks");
    const ops = await hub.as("opsbox").call("list_tasks");
    const refused = await hub.as("box2").try("list_tasks", { room: "ops" });

    expect([lobby["tasks"], ops["tasks"]]).toMatchObject([
      [{ title: "in lobby", id: 1 }],
      [{ title: "in ops", id: 1 }],
    ]);
    expect(refused).toMatchObject({ status: 403, code: "room_not_granted" });
    expect(refused.ok || refused.message).toContain("not granted");
  });

  test("a roster has the room's members, each once, and marks the caller", async () => {
    await using hub = await start();
    await hub.add("box2", { rooms: ["lobby"] });

    const roster = (await hub.as("box2").call("list_agents"))["agents"];

    expect(roster.map((agent: Value) => agent["agent"])).toEqual([
      "boss",
      "box1",
      "box2",
      "box3",
      "chief",
      "roamer",
      "watcher",
    ]);
    expect(roster.filter((agent: Value) => agent["is_you"]).map((agent: Value) => agent["agent"])).toEqual(["box2"]);
  });

  test("a revoked token stops, and no other (P9)", async () => {
    await using hub = await start();
    const { tokens } = await hub.as("boss").call("list_tokens");
    const id = tokens.find((token: Value) => token["agent"] === "box1")["id"];

    await hub.as("boss").call("revoke_token", { token_id: id });

    expect(await hub.as("box1").try("list_tasks")).toMatchObject({ status: 401, code: "not_signed_in" });
    expect(await hub.as("box2").try("list_tasks")).toMatchObject({ ok: true });
  });

  test("last-seen is written when it is not set or older than a minute, and not on every call", async () => {
    await using hub = await start();
    const seen = async () => {
      const { tokens } = await hub.as("boss").call("list_tokens");
      return tokens.find((token: Value) => token["agent"] === "box1")["last_seen"] as string | null;
    };

    const never = await seen();
    await hub.as("box1").call("list_tasks");
    const first = await seen();
    hub.later({ seconds: 30 });
    await hub.as("box1").call("list_tasks");
    const soon = await seen();
    hub.later({ seconds: 40 });
    await hub.as("box1").call("list_tasks");
    const later = await seen();

    expect(never).toBeNull();
    expect(soon).toBe(first);
    expect(Date.parse(later ?? "") - Date.parse(first ?? "")).toBeGreaterThanOrEqual(60_000);
  });
});

onEachStore("the board", (start) => {
  test("of four claims at once, two agents on two connections each, exactly one agent wins (P3)", async () => {
    await using hub = await start();
    await hub.as("box3").call("create_task", { title: "contended" });

    const replies = await Promise.all(
      ["box1", "box2", "box1", "box2"].map(async (handle): Promise<Value> => {
        await using mcp = await connect(hub, handle);
        return { handle, ...(await mcp.call("claim_task", { task_id: 1 })) };
      }),
    );

    const winners = new Set(replies.filter((reply) => reply["claimed"]).map((reply) => reply["handle"]));
    expect(winners.size).toBe(1);
    expect(new Set(replies.map((reply) => reply["task"].assignee))).toEqual(winners);
    for (const reply of replies.filter(({ claimed }) => !claimed)) expect([...winners]).toEqual([reply["holder"]]);
    expect((await hub.eventsOf("lobby")).map((event) => event.kind)).toEqual(["task_created", "task_claimed"]);
  });

  test("the right version updates, a stale one is told the present state, a blind write is flagged (P4)", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "edit me" });

    const right = await hub.as("box1").call("update_task", { task_id: 1, title: "edited", expected_version: 1 });
    const stale = await hub
      .as("box2")
      .call("update_task", { task_id: 1, title: "lost", note: "lost too", expected_version: 1 });
    const blind = await hub.as("box1").call("update_task", { task_id: 1, title: "blind" });

    expect(right).toMatchObject({ updated: true, task: { title: "edited", version: 2 } });
    expect(stale).toMatchObject({ updated: false, your_expected_version: 1, current: { title: "edited", version: 2 } });
    expect(blind["_warning"]).toBeTruthy();
    expect((await hub.as("box1").call("get_task", { task_id: 1 }))["task"].notes).toEqual([]);
  });

  test("an unfinished dependency is reported and clears when it is done; a missing one is refused", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "first" });

    const second = await hub.as("box1").call("create_task", { title: "second", depends_on: [1] });
    await hub.as("box1").call("claim_task", { task_id: 1 });
    await hub.as("box1").call("update_task", { task_id: 1, status: "done" });
    const cleared = await hub.as("box1").call("get_task", { task_id: 2 });

    expect(second["created"]).toMatchObject({ depends_on: [1], blocked_by_unfinished: [1] });
    expect(cleared["task"]).toMatchObject({ depends_on: [1], blocked_by_unfinished: [] });
    expect(await hub.as("box1").try("create_task", { title: "third", depends_on: [9] })).toMatchObject({ status: 404 });
  });

  test("an observer reads and changes nothing", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "one" });
    const before = await hub.state();

    expect((await hub.as("watcher").call("list_tasks"))["count"]).toBe(1);
    for (const [operation, input] of [
      ["create_task", { title: "x" }],
      ["claim_task", { task_id: 1 }],
      ["update_task", { task_id: 1, title: "x" }],
      ["add_note", { task_id: 1, body: "x" }],
      ["release_task", { task_id: 1 }],
      ["post_message", { body: "x" }],
    ] as const) {
      expect(await hub.as("watcher").try(operation, input), operation).toMatchObject({
        status: 403,
        code: "not_allowed",
      });
    }

    expect(await hub.state()).toBe(before);
  });
});

onEachStore("the log", (start) => {
  test("whats_new gives the backlog, then nothing, then what a peer did, and nothing of other rooms", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "one" });
    await hub.as("box1").call("post_message", { body: "two" });
    await hub.as("opsbox").call("post_message", { body: "elsewhere" });
    const box2 = hub.as("box2");

    const backlog = await box2.call("whats_new");
    const nothing = await box2.call("whats_new");
    await box2.call("post_message", { body: "my own" });
    await hub.as("box1").call("post_message", { body: "three" });
    const news = await box2.call("whats_new");

    expect(kindsOf(backlog)).toEqual(["task_created", "message"]);
    expect(nothing).toMatchObject({ count: 0, remaining: 0 });
    expect(news["events"]).toMatchObject([{ kind: "message", actor: "box1", detail: "three", by_you: false }]);
  });

  test("read_events gives a task's kinds in order, consumes nothing, and filters by kind", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "one" });
    await hub.as("box2").call("claim_task", { task_id: 1 });
    await hub.as("box2").call("update_task", { task_id: 1, status: "done" });

    const of1 = await hub.as("box3").call("read_events", { since_id: 0, task_id: 1 });
    const claims = await hub.as("box3").call("read_events", { since_id: 0, kind: "task_claimed" });
    const news = await hub.as("box3").call("whats_new");

    expect(kindsOf(of1)).toEqual(["task_created", "task_claimed", "task_updated"]);
    expect(of1["cursor_unchanged"]).toBe(true);
    expect(kindsOf(claims)).toEqual(["task_claimed"]);
    expect(news["count"]).toBe(3);
  });

  test("a chat event carries the number of its message, which is not the event's id", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "so that the numbers differ" });
    await hub.as("box1").call("post_message", { body: "whole text" });

    const { events } = await hub.as("box2").call("whats_new");
    const message = events.at(-1);
    const { messages } = await hub.as("box2").call("read_messages");

    expect(message["message_id"]).not.toBe(message["id"]);
    expect(messages.find((one: Value) => one["id"] === message["message_id"]).body).toBe("whole text");
  });

  test("chat: a post has an id, peers read the whole body, replies keep their parent", async () => {
    await using hub = await start();
    const body = "long ".repeat(200).trim();
    await hub.as("box1").call("post_message", { body });
    await hub.as("box2").call("post_message", { body: "short", reply_to: 1 });

    const response = await hub.as("box3").fetch("/v1/messages?since_id=0");
    const thread = (await response.json()) as Value;

    expect(idsOf(thread["messages"])).toEqual([1, 2]);
    expect(thread).toMatchObject({ room: "lobby", agent: "box3", latest_id: 2, messages: [{ body }, { reply_to: 1 }] });
  });
});
