import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { verdictOn } from "../src/features/integrity/verdict.ts";
import type { Reply } from "../src/testkit/actor.ts";
import { TESTED_STORES } from "../src/testkit/databases.ts";
import { startTestHub, type TestHub } from "../src/testkit/hub.ts";
import { followStream, type Frame, type TestStream } from "../src/testkit/stream.ts";
import { startPostgres } from "./postgres.mjs";

/** P13: when the hub cannot accept work it says so; it never accepts and drops, and it goes on by itself. */

const ON_SQLITE = TESTED_STORES.filter((kind) => kind === "sqlite");
const ON_POSTGRES = TESTED_STORES.filter((kind) => kind === "postgres");

/** Makes SQLite find its disk full, or read-only, and gives how to mend that. */
const DISKS = {
  full: async (hub: TestHub) => {
    const ask = (pragma: string) =>
      hub.hub.store.write("main", (tx) => tx.one<Record<string, number>>({ texts: [`pragma ${pragma}`], values: [] }));
    const pages = (await ask("page_count"))?.["page_count"] ?? 0;
    await ask(`max_page_count = ${pages + 2}`);
    return async () => void (await ask("max_page_count = 1000000"));
  },
  "read-only": async () => {
    // A connection's own switch, set before each of its transactions, since on such a disk none can begin.
    let readOnly = true;
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (this: DatabaseSync, statements: string) {
      if (statements === "begin immediate") exec.call(this, `pragma query_only = ${readOnly ? "on" : "off"}`);
      return exec.call(this, statements);
    };
    onTestFinished(() => void (DatabaseSync.prototype.exec = exec));
    return async () => void (readOnly = false);
  },
};

for (const [disk, spoil] of Object.entries(DISKS)) {
  test.each(ON_SQLITE)(
    `with a ${disk} disk %s refuses writes by name, goes on reading, and recovers without a restart (P13)`,
    async (kind) => {
      await using hub = await startTestHub(kind);
      const box1 = hub.as("box1");
      await box1.call("post_message", { body: "before" });
      await using stream = await followStream(hub, "box2");
      const mend = await spoil(hub);

      const posts = await Promise.all(
        Array.from({ length: 120 }, (_, number) =>
          box1.try("post_message", { body: `${number} ${"x".repeat(9_000)}` }),
        ),
      );
      const reading = await hub.as("watcher").try("read_messages", { since_id: 0 });
      const health = (await fetch(`${hub.url}/readyz`)).status;
      await mend();
      const after = await box1.call("post_message", { body: "room again" });
      const seen = await stream.next("activity");

      const kept = posts.filter((post) => post.ok).length;
      const refused = posts.filter((post) => !post.ok).map(codeOf);
      expect(refused.length).toBeGreaterThan(50);
      expect(new Set(refused)).toEqual(new Set(["503 storage_full"]));
      expect([codeOf(reading), health]).toEqual(["200", 200]);
      // What was answered with success is there, and nothing of what was refused.
      expect(after["message_id"]).toBe(kept + 2);
      expect(seen.data["kind"]).toBe("message");
      expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    },
  );
}

test.each(ON_POSTGRES)(
  "a %s that is killed and comes back costs refusals by name, and the hub goes on within 5 s (P13)",
  async (kind) => {
    const postgres = await startPostgres({ durable: true });
    const hub = await startTestHub(kind, { DATABASE_URL: postgres.url });
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "before" });
    const heard = hearUntil(hub, "after");

    const crashing = postgres.crash();
    const during: Reply[] = [];
    let crashed = false;
    void crashing.then(() => (crashed = true));
    while (!crashed) {
      during.push(await box1.try("post_message", { body: `during ${during.length}` }));
      await pause(20);
    }
    const back = performance.now();
    let last = await box1.try("post_message", { body: "after" });
    for (; !last.ok && performance.now() - back < 5_000; last = await box1.try("post_message", { body: "after" }))
      await pause(50);

    const told = new Set(during.map(codeOf));
    const bodies: string[] = (await box1.call("read_messages", { since_id: 0, limit: 200 }))["messages"].map(
      (message: { body: string }) => message.body,
    );
    expect([...told].filter((code) => !["200", "503 database_away", "503 outcome_unknown"].includes(code))).toEqual([]);
    expect(told.has("503 database_away")).toBe(true);
    expect(codeOf(last)).toBe("200");
    // Acknowledged is kept, refused is not; only of what was cut off in its commit nobody knows.
    const isThere = (number: number) => bodies.includes(`during ${number}`);
    during.forEach((reply, number) => {
      if (codeOf(reply) !== "503 outcome_unknown") expect([number, isThere(number)]).toEqual([number, reply.ok]);
    });
    expect((await fetch(`${hub.url}/readyz`)).status).toBe(200);
    // The stream may have been cut: whoever goes on from the last it saw has missed nothing, and sees nothing twice.
    expect((await heard).filter((detail) => detail !== "")).toEqual(bodies);
    expect((await verdictOn(hub.hub.store)).problems).toEqual([]);
    await hub[Symbol.asyncDispose]();
    await postgres.stop();
  },
);

test.each(ON_POSTGRES)(
  "a %s that answers slowly is waited for, and one that stalls is given up within its deadline (P13)",
  async (kind) => {
    const postgres = await startPostgres({ durable: true });
    const line = await openSlowLine(postgres.url);
    const hub = await startTestHub(kind, { DATABASE_URL: line.url });
    const box1 = hub.as("box1");
    await box1.call("post_message", { body: "before" });

    line.delay(100);
    const slow = await box1.try("post_message", { body: "slow" });
    line.delay(Number.POSITIVE_INFINITY);
    const began = performance.now();
    const [stalled, alive, ready] = await Promise.all([
      box1.try("post_message", { body: "stalled" }),
      fetch(`${hub.url}/healthz`).then(({ status }) => status),
      fetch(`${hub.url}/readyz`).then(({ status }) => status),
    ]);
    const waited = performance.now() - began;
    line.delay(0);
    line.cut();
    let again = await box1.try("post_message", { body: "again" });
    for (let tries = 0; !again.ok && tries < 50; tries++) {
      await pause(100);
      again = await box1.try("post_message", { body: "again" });
    }

    expect(codeOf(slow)).toBe("200");
    expect(codeOf(stalled)).toMatch(/^503 (database_away|outcome_unknown)$/);
    expect([alive, ready]).toEqual([200, 503]);
    expect(waited).toBeLessThan(20_000);
    expect(codeOf(again)).toBe("200");
    const messages = (await box1.call("read_messages", { since_id: 0 }))["messages"] as { body: string }[];
    expect(messages.filter(({ body }) => body !== "stalled").map(({ body }) => body)).toEqual([
      "before",
      "slow",
      "again",
    ]);
    await hub[Symbol.asyncDispose]();
    await line.close();
    await postgres.stop();
  },
);

/** What is posted, as a reader hears it that comes again whenever its stream ends. */
async function hearUntil(hub: TestHub, last: string): Promise<string[]> {
  const heard: string[] = [];
  let id: string | undefined;
  while (heard.at(-1) !== last) {
    const headers = id === undefined ? {} : { "last-event-id": id };
    await using stream = await followStream(hub, "box2", id === undefined ? "?after=all" : "", headers);
    for (let frame = await nextMessage(stream); frame; frame = await nextMessage(stream)) {
      id = frame.id;
      heard.push(String(frame.data["detail"]));
      if (heard.at(-1) === last) break;
    }
    await pause(50);
  }
  return heard;
}

/** Undefined once the stream has ended. */
async function nextMessage(stream: TestStream): Promise<Frame | undefined> {
  for (;;) {
    const frame = await stream.next("activity").catch(() => undefined);
    if (!frame || frame.data["kind"] === "message") return frame;
  }
}

function codeOf(reply: Reply): string {
  return reply.ok ? "200" : `${reply.status} ${reply.code}`;
}

/** A line to Postgres whose answers can be held back, each by so many ms. */
async function openSlowLine(url: string) {
  const { hostname, port: to } = new URL(url);
  const sockets = new Set<Socket>();
  let delay = 0;
  const server = createServer((socket) => {
    const beyond = connect(Number(to), hostname);
    for (const one of [socket, beyond]) {
      sockets.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => (sockets.delete(one), (one === socket ? beyond : socket).destroy()));
    }
    socket.pipe(beyond);
    beyond.on("data", (bytes) => {
      if (delay === Number.POSITIVE_INFINITY) return;
      setTimeout(() => socket.write(bytes), delay).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on an address, not on a pipe
  const there = new URL(url);
  there.port = String(port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: there.href,
    cut,
    delay: (ms: number) => void (delay = ms),
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
