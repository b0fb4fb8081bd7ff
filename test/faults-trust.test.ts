import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { OPERATOR } from "../src/access/operator.ts";
import { operations } from "../src/operations.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { sql } from "../src/store/sql.ts";
import { makeActor, type Reply, type Value } from "../src/testkit/actor.ts";
import { runHere } from "../src/testkit/command.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { connect } from "../src/testkit/mcp-client.ts";
import { followStream } from "../src/testkit/stream.ts";
import { requestText, sendRaw } from "../src/testkit/wire.ts";

/** Ways in which a hub before this one let somebody do, see or become what they should not: none of them may come back. */

const codeOf = (reply: Reply) => (reply.ok ? "done" : reply.code);

async function namesOfRooms(hub: TestHub): Promise<string[]> {
  return (await hub.as("boss").call("list_rooms"))["rooms"].map((room: Value) => room["name"]);
}

onEachStore("who may what", (start) => {
  test("a read-only admin of all rooms can neither prune nor delete, nor change anything else", async () => {
    await using hub = await start();
    const reader = await hub.add("reader", { rooms: ["lobby"], readonly: true, admin: true, allRooms: true });
    await hub.as("box1").call("post_message", { body: "one" });
    await hub.as("box1").call("create_task", { title: "one" });
    await hub.as("boss").call("revoke_token", { agent: "box3" });
    const before = await hub.state();

    // What anyone may call asks for no role: it is a stranger's call then.
    const commands = operations.filter(({ kind, needs }) => kind === "command" && needs !== "anyone");
    const replies = await Promise.all(commands.map(({ name, example }) => reader.try(name, example)));
    const byAddress = await reader.fetch("/v1/rooms/ops", { method: "DELETE" });

    expect(replies.map(codeOf)).toEqual(commands.map(() => "not_allowed"));
    expect(byAddress.status).toBe(403);
    expect(await hub.state()).toBe(before);
  });

  test("a revoked token's open stream ends, so does an expired one's, and neither carries what came after", async () => {
    await using hub = await start();
    const { token } = await hub.as("boss").call("create_token", { agent: "brief", room: "lobby", expires: "1h" });
    await using revoked = await followStream(hub, "box3", "?after=now");
    await using expired = await followStream({ url: hub.url, token: () => token }, "brief", "?after=now");
    await using other = await followStream(hub, "box2", "?after=now");

    await hub.as("boss").call("revoke_token", { agent: "box3" });
    hub.later({ hours: 2 });
    await Promise.all([revoked.ended(), expired.ended()]);
    await hub.as("box1").call("post_message", { body: "after" });

    expect((await other.next("chat")).data["body"]).toBe("after");
    await expect(revoked.next("chat")).rejects.toThrow("ended");
    await expect(expired.next("chat")).rejects.toThrow("ended");
  });

  test("one token of an agent can be ended by its id, and replaced without a gap", async () => {
    await using hub = await start();
    const boss = hub.as("boss");
    const old = await boss.call("create_token", { agent: "box9", room: "lobby", label: "laptop" });

    const fresh = await boss.call("create_token", { agent: "box9", room: "lobby", label: "laptop, renewed" });
    const both = await Promise.all(
      [old, fresh].map(({ token }) => makeActor(hub.url, "box9", token).try("list_rooms")),
    );
    await boss.call("revoke_token", { token_id: old["id"] });
    const after = await Promise.all(
      [old, fresh].map(({ token }) => makeActor(hub.url, "box9", token).try("list_rooms")),
    );

    expect(both.map(codeOf)).toEqual(["done", "done"]);
    expect(after.map(codeOf)).toEqual(["not_signed_in", "done"]);
    const { tokens } = await boss.call("list_tokens", { agent: "box9" });
    expect(tokens).toMatchObject([{ last_address: "127.0.0.1" }, { last_address: "127.0.0.1" }]);
  });

  test("names are no identity: only an organization's administrator gives a token for one, and is told whose it is", async () => {
    await using hub = await start();
    const tries = ["box1", "roamer", "chief", "watcher"].map((handle) =>
      hub.as(handle).try("create_token", { agent: "box2", room: "lobby" }),
    );

    const known = await hub.as("boss").call("create_token", { agent: "box2", room: "lobby" });
    const fresh = await hub.as("boss").call("create_token", { agent: "box9", room: "lobby" });

    expect((await Promise.all(tries)).map(codeOf)).toEqual(Array(4).fill("not_allowed"));
    expect([known["existing_member"], fresh["existing_member"]]).toEqual([true, false]);
    expect((await hub.eventsOf(null)).filter(({ kind }) => kind === "token_created")).toMatchObject([
      { actor: "boss", concerns: ["box2"] },
      { actor: "boss", concerns: ["box9"] },
    ]);
  });

  test("a text is no yes and no list, over any way in", async () => {
    await using hub = await start();
    await using mcp = await connect(hub, "boss");

    for (const input of [{ admin: "false" }, { readonly: "yes" }, { all_rooms: 1 }, { also_rooms: "xyz" }]) {
      const rest = await hub.as("boss").try("create_token", { agent: "box9", room: "lobby", ...input });
      expect(codeOf(rest), JSON.stringify(input)).toBe("bad_input");
    }
    // A client of MCP may write a truth value as text; it is read as what it says, never as "something is there".
    const made = await mcp.call("create_token", { agent: "box9", room: "lobby", admin: "false" });

    expect(made).toMatchObject({ admin: false, roles: ["read", "write"] });
    expect(await namesOfRooms(hub)).toEqual(["lobby", "ops"]);
  });

  test("every admin's act is in the log with its actor, and so is who deleted a room", async () => {
    await using hub = await start();
    const boss = hub.as("boss");
    await using mcp = await connect(hub, "boss");
    await boss.call("create_room", { name: "attic" });
    await boss.call("set_room_policy", { room: "ops", lease_minutes: 5 });
    const made = await boss.call("create_token", { agent: "box9", room: "lobby" });
    await boss.call("revoke_token", { token_id: made["id"] });
    await boss.call("purge_tokens", { older_than_days: 0 });
    await mcp.call("delete_room", { room: "attic" });
    await boss.fetch("/v1/rooms/lobby", { method: "DELETE" });

    const acts = [...(await hub.eventsOf("ops")), ...(await hub.eventsOf(null))].filter(
      ({ actor }) => actor === "boss",
    );

    expect(acts.map(({ kind, detail }) => [kind, detail])).toEqual([
      ["policy_changed", "lease_minutes"],
      ["room_created", "attic"],
      ["member_added", "box9"],
      ["token_created", `box9 ${made["id"]}: read, write`],
      ["token_revoked", `box9 ${made["id"]}`],
      ["tokens_purged", "1 revoked tokens"],
      ["room_deleted", "attic"],
      ["room_deleted", "lobby"],
    ]);
  });

  test("a refusal over MCP says what is the case, and never only that the tool failed", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "held", claim: true });
    await using box2 = await connect(hub, "box2");
    await using watcher = await connect(hub, "watcher", "legacy");

    const lost = await box2.call("claim_task", { task_id: 1 });
    const texts = [
      await box2.text("list_tasks", { room: "attic" }),
      await box2.text("update_task", { task_id: 1, status: "done" }),
      await box2.text("get_task", { task_id: 77 }),
      await watcher.text("list_tasks", { room: "attic" }),
      await watcher.text("create_task", { title: "x" }),
    ];

    expect(lost).toMatchObject({ claimed: false, holder: "box1", reason: "box1 holds it" });
    expect(texts).toEqual([
      expect.stringMatching(/^room_not_granted: .*Granted: lobby/),
      expect.stringMatching(/^task_move: .*box1/),
      expect.stringMatching(/^task_not_found: .*77/),
      expect.stringMatching(/^room_not_granted: .*Granted: lobby/),
      expect.stringMatching(/^not_allowed: .*not read-only/),
    ]);
  });

  test("nothing is told or held open for those without a credential, not even which tools there are", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0", CREWROOM_CHAT_LOGIN: "off" });
    const seen: unknown[] = [];

    for (const method of ["initialize", "server/discover", "tools/list", "prompts/list", "ping"]) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
      const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const answer = await fetch(`${hub.url}/mcp`, { method: "POST", headers, body });
      seen.push([answer.status, (await answer.text()).includes("post_message")]);
    }
    for (const path of ["/mcp", "/v1/stream", "/v1/stream?room=nowhere", "/v1/rooms", "/api/list_rooms"]) {
      const answer = await fetch(`${hub.url}${path}`, { headers: { accept: "text/event-stream" } });
      seen.push([answer.status, (await answer.text()).includes("lobby")]); // its end is read: nothing stays open
    }

    expect(seen).toEqual(seen.map(() => [401, false]));
    expect(hub.hub.core.feed.open).toBe(0);
  });

  test("a changing left-most X-Forwarded-For does not dodge the throttle, over REST and MCP alike", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "5", CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });
    const statuses: number[] = [];

    for (let round = 1; round <= 12; round++) {
      const forwarded = `X-Forwarded-For: 10.0.${round}.1, 198.51.100.7`;
      const headers = ["Host: localhost", "Authorization: Bearer wrong", forwarded, "Content-Length: 0"];
      const path = round % 2 ? "/v1/tasks" : "/mcp";
      const { status } = await sendRaw(hub, requestText(path === "/mcp" ? "POST" : "GET", path, headers));
      statuses.push(status);
    }

    expect(statuses).toEqual([401, 401, 401, 401, ...Array(8).fill(429)]);
  });

  test("a last-seen time that lies in the future is put right by the next call", async () => {
    await using hub = await start();
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update tokens set last_seen_at = ${tx.now + 1e10} where member = 'box2'`),
    );

    const { agents } = await hub.as("box2").call("list_agents");

    const now = await hub.hub.store.read(async (tx) => tx.now);
    const seen = agents.find((agent: Value) => agent["is_you"]).last_seen;
    expect(Date.parse(seen)).toBeLessThanOrEqual(now);
  });
});

afterEach(() => vi.unstubAllEnvs());

test("CLI acts have events under the operator's name, and the CLI makes no name that others may not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-cli-"));
  const path = join(folder, "crewroom.db");
  vi.stubEnv("CREWROOM_DB", path);
  vi.stubEnv("DATABASE_URL", "");
  const run = async (...args: string[]) => (await runHere([...args, "--json"])).code;
  expect(await run("init")).toBe(0);
  const odd = [];
  for (const agent of ["crewroom", "admin", "a b", 'a"b', "Box"])
    odd.push(await run("token", "add", "--agent", agent, "--room", "lobby"));
  for (const room of ["a b", "a/b", "Ops", ""]) odd.push(await run("room", "add", room));

  const codes = [
    await run("room", "add", "forge"),
    await run("room", "info", "forge", "--description", "hot"),
    await run("token", "add", "--agent", "box1", "--room", "forge"),
    await run("token", "revoke", "--agent", "box1"),
    await run("token", "purge", "--older-than-days", "0", "--yes"),
  ];
  // With a room goes what its log tells.
  const ofRoom = await readEvents(path);
  codes.push(await run("room", "delete", "forge", "--yes"));

  expect(odd).toEqual(odd.map(() => 2));
  expect(codes).toEqual(codes.map(() => 0));
  const events = [...ofRoom, ...(await readEvents(path)).slice(ofRoom.length)];
  rmSync(folder, { recursive: true, force: true });
  expect(events.map(({ kind }) => kind)).toEqual([
    "room_created",
    "room_info_updated",
    "member_added",
    "token_created",
    "token_revoked",
    "tokens_purged",
    "room_deleted",
  ]);
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([OPERATOR]));
});

/** What happened since the first organization was made. */
async function readEvents(path: string) {
  const store = await openSqlite({ path });
  try {
    return await store.read((tx) =>
      tx.all<{ kind: string; actor: string }>(sql`select kind, actor from events where position > 2 order by position`),
    );
  } finally {
    await store.close();
  }
}
