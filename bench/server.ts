// What is measured, each in its own process: the hub on SQLite or Postgres with a filled room, or what it is measured beside.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings } from "../src/config.ts";
import { type Hub, startHub } from "../src/hub.ts";
import { sql } from "../src/store/sql.ts";
import { addMember, seat } from "../src/testkit/cast.ts";
import { serveEcho, serveFiles, servePoll } from "./bare-server.ts";
import { seatPairs } from "./pairs.ts";

/** What a server says when it is ready. */
export interface Ready {
  readonly port: number;
  readonly tokens: Readonly<Record<string, string>>;
}

/** How many members call: each with a token of its own. */
const LOADS = Number(process.env["BENCH_TOKENS"] ?? 64);
/** How many pairs of people there are, of whom one asks the other. */
const PAIRS = Number(process.env["BENCH_PAIRS"] ?? 0);
const [kind = "echo", size = "1000"] = process.argv.slice(2);
if (process.send) {
  if (kind === "hub") await serveHub(Number(size));
  else tell({ port: await serveBare(Number(size)), tokens: {} });
}

process.on("disconnect", () => process.exit(0));
// The parent asks for the processor time (µs) used so far, and for the memory (bytes).
process.on("message", (question: unknown) => {
  const { user, system } = process.cpuUsage();
  if (question === "cpu") process.send?.(user + system);
  if (question === "memory") {
    globalThis.gc?.();
    process.send?.(process.memoryUsage.rss());
  }
});

function serveBare(bytes: number): Promise<number> {
  if (kind === "poll") return servePoll();
  return kind === "files" ? serveFiles(bytes) : serveEcho(bytes);
}

/** A hub whose log has `events` events, with 60 tasks and 200 messages in the lobby. */
async function serveHub(events: number) {
  const folder = mkdtempSync(join(tmpdir(), "crewroom-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const settings = {
    PORT: "0",
    CREWROOM_LOG: "silent",
    CREWROOM_CALLS_PER_MINUTE: "0",
    CREWROOM_TRUSTED_PROXIES: process.env["BENCH_PROXIES"] ?? "",
    CREWROOM_FILE_QUOTA_MB: process.env["BENCH_FILE_QUOTA_MB"] ?? "",
    CREWROOM_DB: join(folder, "crewroom.db"),
  };
  const url = process.env["BENCH_POSTGRES_URL"];
  const hub = await startHub(
    readSettings({
      ...settings,
      ...(url && { DATABASE_URL: url, CREWROOM_SECRET_KEY: "a key of the benchmarks, long enough" }),
    }),
    { trustDatabase: true },
  );
  const tokens = await seat(hub.store);
  const loads = await hub.store.write("main", async (tx) => {
    const made: [string, string][] = [];
    for (let index = 0; index < LOADS; index++)
      made.push([`load${index}`, await addMember(tx, "main", `load${index}`, { rooms: ["lobby"] })]);
    return made;
  });
  const pairs = await seatPairs(hub.store, PAIRS);
  await fill(hub, tokens.get("box1") ?? "", events);
  process.on("message", (question: { behind?: number }) => {
    if (question.behind !== undefined) void setPlaces(hub, question.behind).then(() => process.send?.("set"));
  });
  tell({ port: hub.port, tokens: Object.fromEntries([...tokens, ...loads, ...pairs]) });
}

/** Puts every caller's place so many events before the head of the log. */
async function setPlaces({ store }: Hub, behind: number) {
  await store.write("main", async (tx) => {
    await tx.run(sql`delete from places where organization = ${"main"}`);
    await tx.run(sql`
      insert into places (organization, credential, session, path, room, position, offered, offered_by, offered_at)
      select t.organization, t.id, '-', 'tool', 1, l.position - cast(${behind} as bigint), l.position - cast(${behind} as bigint), '', 0
      from tokens t
      join logs l on l.organization = t.organization
      where t.organization = ${"main"}`);
  });
}

async function fill({ url, store }: Hub, token: string, events: number) {
  const call = async (operation: string, input: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/${operation}`, { method: "POST", headers, body: JSON.stringify(input) });
    if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
  };
  const body = "A body of the usual length: what is to be done, where to look, and what it waits for. ".repeat(2);
  for (let index = 0; index < 60; index++) {
    await call("create_task", {
      title: `Task number ${index} of the board`,
      body,
      ...(index % 5 === 4 && { depends_on: [index - 3] }),
    });
  }
  await call("claim_task", { task_id: 1 });
  for (let index = 0; index < 200; index++)
    await call("post_message", { body: `Message ${index}: the build is green again; I go on.` });
  if (events <= 1_000) return;
  // Written in bulk: what matters is how many there are.
  await store.write("main", async (tx) => {
    const head = await tx.one<{ position: number }>(sql`select position from logs where organization = ${"main"}`);
    const first = head?.position ?? 0;
    await tx.run(sql`
      insert into events (organization, position, room, at, kind, actor, detail, concerns, hash)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${events})
      select 'main', cast(${first} as bigint) + n, 1 + (n % 2), cast(${tx.now} as bigint), 'message', 'box2', 'filled', '', ''
      from numbers`);
    await tx.run(sql`update logs set position = position + ${events} where organization = ${"main"}`);
  });
}

function tell(ready: Ready) {
  process.send?.(ready);
}
