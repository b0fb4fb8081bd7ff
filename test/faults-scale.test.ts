import { connect as connectTcp } from "node:net";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { sweepLeases } from "../src/housekeeping.ts";
import { sql } from "../src/store/sql.ts";
import type { Tx } from "../src/store/store.ts";
import type { Value } from "../src/testkit/actor.ts";
import { makeDatabase, type StoreKind } from "../src/testkit/databases.ts";
import { onEachStore, type TestHub } from "../src/testkit/hub.ts";
import { fillLog } from "../src/testkit/log.ts";
import { connect } from "../src/testkit/mcp-client.ts";
import { followStream } from "../src/testkit/stream.ts";
import { requestText } from "../src/testkit/wire.ts";

/** Ways in which a hub before this one froze, swelled or asked too much under load: none of them may come back. */

/** A database that hubs share; it goes after them. */
async function lendDatabase(kind: StoreKind) {
  const { settings, remove } = await makeDatabase(kind);
  return { settings, [Symbol.asyncDispose]: remove };
}

/** Takes what every write of organization `main` needs, from another connection. Gives how to let go of it. */
async function holdWrites(kind: StoreKind, settings: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  if (kind === "sqlite") {
    const other = new DatabaseSync(settings["CREWROOM_DB"] ?? "");
    other.exec("begin immediate");
    return async () => other.close();
  }
  const other = new pg.Client({ connectionString: settings["DATABASE_URL"] });
  await other.connect();
  await other.query("begin");
  await other.query("select position from logs where organization = 'main' for update");
  return () => other.end();
}

/** Counts what the hub's store is asked from here on. */
function countReads({ hub: { store } }: TestHub) {
  const counted = { reads: 0, statements: 0 };
  const { read } = store;
  const watch = (tx: Tx): Tx => {
    const count = <Query, Answer>(ask: (query: Query) => Answer) => {
      return (query: Query) => {
        counted.statements += 1;
        return ask(query);
      };
    };
    return { ...tx, all: count(tx.all) as Tx["all"], one: count(tx.one) as Tx["one"] }; // the same functions, counted
  };
  store.read = (work) => {
    counted.reads += 1;
    return read((tx) => work(watch(tx)));
  };
  return counted;
}

onEachStore("under load", (start, kind) => {
  test("one slow write freezes neither health nor readiness nor reads, and then succeeds", async () => {
    await using database = await lendDatabase(kind);
    await using hub = await start(database.settings);
    await hub.as("box1").call("post_message", { body: "before" });
    const letGo = await holdWrites(kind, database.settings);
    let written = false;

    const writing = hub.as("box1").call("post_message", { body: "waits" });
    void writing.then(() => (written = true));
    const statuses = [];
    for (const path of ["/healthz", "/readyz", "/health"]) statuses.push((await fetch(`${hub.url}${path}`)).status);
    // The first is this agent's first call: when it was last seen is to be written too.
    for (const path of ["/v1/whats_new", "/v1/tasks", "/v1/messages", "/v1/rooms"])
      statuses.push((await hub.as("box2").fetch(path)).status);
    const waited = !written;
    await letGo();

    expect(statuses).toEqual(statuses.map(() => 200));
    expect(waited).toBe(true);
    expect(await writing).toMatchObject({ message_id: 2 });
  });

  test("streams share one query per wake, and ask nothing while nothing happens in their organization", async () => {
    await using hub = await start();
    await hub.as("box1").call("post_message", { body: "so that there is one" });
    await hub.as("stranger").call("list_rooms");
    const streams = await Promise.all(Array.from({ length: 60 }, () => followStream(hub, "box2", "?after=now")));
    for (const stream of streams) await stream.next("board");
    await expect.poll(() => hub.hub.core.feed.open).toBe(60);
    const counted = countReads(hub);

    for (let n = 0; n < 20; n++) await hub.as("stranger").call("post_message", { body: "elsewhere" });
    const idle = counted.reads;
    await hub.as("box1").call("post_message", { body: "now" });
    const frames = await Promise.all(streams.map((stream) => stream.next("chat")));
    const woken = counted.reads - idle;

    for (const stream of streams) await stream[Symbol.asyncDispose]();
    expect(frames.map(({ data }) => data["body"])).toEqual(frames.map(() => "now"));
    // Once a second one query for all asks whether the credential holds, and a caller is looked up once a second. Were each
    // stream to look at each post, idle would be twenty times their number; were each to read for itself, woken once that.
    expect(idle).toBeLessThan(5 * streams.length);
    expect(woken).toBeLessThan(streams.length / 2);
  });

  test("a long list costs no more statements than a short one", async () => {
    await using hub = await start();
    const boss = hub.as("boss");
    const lists = [
      ["list_tasks", {}],
      ["get_task", { task_id: 1 }],
      ["read_messages", {}],
      ["list_rooms", {}],
      ["list_agents", {}],
      ["list_tokens", {}],
      ["get_receipts", { message_id: 1 }],
      ["read_events", {}],
      ["whats_new", { peek: true }],
      ["instance_state", {}],
    ] as const;
    const grow = async (times: number) => {
      for (let n = 0; n < times; n++) {
        const suffix = `${times}-${n}`;
        await hub.as("box1").call("create_task", { title: suffix, depends_on: [1], labels: ["a", "b"] });
        await hub.as("box1").call("post_message", { body: suffix, reply_to: 1 });
        await hub.as("box1").call("add_note", { task_id: 1, body: suffix });
        await boss.call("create_room", { name: `room-${suffix}` });
        await boss.call("create_token", { agent: `agent-${suffix}`, room: "lobby", also_rooms: ["ops"] });
      }
    };
    await hub.as("box1").call("create_task", { title: "needed by all" });
    await hub.as("box1").call("post_message", { body: "@room hello" });
    await grow(1);
    const counted = countReads(hub);
    const costs = async () => {
      const each: Record<string, number> = {};
      for (const [name, input] of lists) {
        await boss.call("list_rooms"); // its credential is looked up here
        const before = counted.statements;
        await boss.call(name, input);
        each[name] = counted.statements - before;
      }
      return each;
    };

    const short = await costs();
    await grow(25);
    const long = await costs();

    for (const [name] of lists) expect(long[name]! - short[name]!, name).toBeLessThanOrEqual(2);
    expect(Math.max(...Object.values(long))).toBeLessThanOrEqual(10);
  });

  test("no answer grows without end: get_task pages its notes, and every list keeps to its page", async () => {
    await using hub = await start();
    const box1 = hub.as("box1");
    const text = "x".repeat(16_000);
    await box1.call("create_task", { title: "noted", body: text });
    for (let n = 0; n < 30; n++) {
      await box1.call("add_note", { task_id: 1, body: text });
      await box1.call("create_task", { title: "y".repeat(300), body: text });
      await box1.call("post_message", { body: text });
      const room = { name: `room-${n}`, description: "z".repeat(2_000), onboarding_notes: "n".repeat(4_000) };
      await hub.as("boss").call("create_room", room);
    }
    await using mcp = await connect(hub, "boss");

    for (const [name, input] of [
      ["get_task", { task_id: 1 }],
      ["list_tasks", {}],
      ["read_messages", {}],
      ["list_rooms", {}],
      ["instance_state", {}],
      ["read_events", {}],
      ["whats_new", { peek: true }],
    ] as const) {
      const rest = JSON.stringify(await hub.as("boss").call(name, input));
      expect(rest.length, name).toBeLessThanOrEqual(65_000);
      // One item alone may be larger than what is left of a page.
      expect((await mcp.text(name, input)).length, name).toBeLessThanOrEqual(34_000);
    }
    const notes: number[] = [];
    for (let since_note: number | undefined = 0; since_note !== undefined;) {
      const page = await box1.call("get_task", { task_id: 1, since_note });
      notes.push(...page["task"].notes.map((note: Value) => note["id"]));
      since_note = page["next"]?.since_note;
    }
    expect(notes).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });

  test("the board is in a stream although no event of the room was kept", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "still open" });
    await hub.hub.store.write("main", (tx) => tx.run(sql`delete from events where organization = 'main' and room = 1`));

    await using stream = await followStream(hub, "box2", "?after=all");

    expect((await stream.next("board")).data).toMatchObject([{ id: 1, title: "still open" }]);
  });

  test("a long replay sends the board when it begins and when it has caught up, not between", async () => {
    await using hub = await start();
    await hub.as("box1").call("create_task", { title: "busy" });
    await fillLog(hub, "lobby", "box1", 1_000);
    await hub.hub.store.write("main", (tx) =>
      tx.run(sql`update events set kind = 'task_updated', task = 1 where organization = 'main' and detail = 'filled'`),
    );
    await using stream = await followStream(hub, "box2", "?after=all&snapshots=1");

    await stream.next("board");
    await stream.next("board");
    await hub.as("box1").call("post_message", { body: "now" });

    // Frames before the second board were passed over; had a board come between, the next event would be an old one.
    expect((await stream.next("activity")).data).toMatchObject({ kind: "message", message_id: 1 });
  });

  test("throttle memory is bounded: 12,000 addresses are counted, and newcomers beyond it share one budget", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "20", CREWROOM_TRUSTED_PROXIES: "127.0.0.1" });

    const statuses = await failFrom(hub, 12_000);
    const right = await hub.as("box1").try("list_rooms");

    const refused = statuses.filter((status) => status === 401).length;
    expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(4_096);
    expect(refused).toBeLessThan(4_096 + 20);
    expect(right.ok).toBe(true);
  });

  test("what cannot be a token costs no look at the database", async () => {
    await using hub = await start({ CREWROOM_AUTH_FAIL_LIMIT: "0" });
    const counted = countReads(hub);

    for (const authorization of ["", "Bearer", "Bearer x", `Bearer crw_agt_${"a".repeat(36)}`])
      expect((await fetch(`${hub.url}/v1/tasks`, { headers: { authorization } })).status).toBe(401);

    expect(counted.reads).toBe(0);
  });

  test("two servers of one database are one hub: claims, ended leases and revocations count once and for both", async () => {
    if (kind === "sqlite") return; // a file has one server, and says so to a second one
    await using database = await lendDatabase(kind);
    await using left = await start(database.settings);
    await using right = await start(database.settings);
    await left.as("box1").call("create_task", { title: "shared" });
    const claims = await Promise.all(
      [left, right, left, right].map((hub, n) => hub.as(n < 2 ? "box1" : "box2").call("claim_task", { task_id: 1 })),
    );
    await using stream = await followStream(right, "box3", "?after=now");
    await stream.next("board");

    const { tokens } = await left.as("boss").call("list_tokens", { agent: "box3" });
    for (const { id } of tokens) await left.as("boss").call("revoke_token", { token_id: id });
    await stream.ended();
    for (const hub of [left, right]) hub.later({ hours: 5 });
    await Promise.all([left, right].map((hub) => sweepLeases(hub.hub.core)));

    expect(new Set(claims.map((answer) => answer["task"].assignee)).size).toBe(1);
    const ended = (await left.eventsOf("lobby")).filter((event) => event.kind === "task_lease_ended");
    expect(ended).toHaveLength(1);
  });
});

/** Fails to sign in once from each of so many addresses, over few connections. Gives the statuses. */
async function failFrom(hub: TestHub, addresses: number): Promise<number[]> {
  const { port, hostname } = new URL(hub.url);
  const socket = connectTcp(Number(port), hostname);
  const statuses: number[] = [];
  let rest = "";
  let sent = 0;
  const send = () => {
    const upTo = Math.min(sent + 200, addresses);
    let requests = "";
    for (; sent < upTo; sent++) {
      const address = `10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`;
      requests += requestText("GET", "/v1/tasks", [
        "Host: localhost",
        "Authorization: Bearer wrong",
        `X-Forwarded-For: ${address}`,
      ]);
    }
    socket.write(requests);
  };
  send();
  for await (const chunk of socket) {
    const lines = (rest + String(chunk)).split("\r\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const status = /HTTP\/1\.1 (\d{3})/.exec(line)?.[1];
      if (status) statuses.push(Number(status));
    }
    if (statuses.length === addresses) break;
    if (statuses.length === sent) send();
  }
  return statuses;
}
