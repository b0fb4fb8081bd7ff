import { connect } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Arena } from "./arena.ts";
import { call, type Target } from "./http.ts";

const NEWS_PER_ROUND = 3;
/** Enough for a request to arrive and to wait for the database; less than the hub's own patience (ms). */
const ARRIVED = 150;

/**
 * Asks `whats_new` and resets the connection before the answer is written: the hub is held back meanwhile by a lock on its
 * database. What was in that answer must come with the next one.
 */
export async function cutNewsComeAgain(arena: Arena, rounds: number): Promise<string[]> {
  await arena.seat(["teller", "reader"]);
  const reader = arena.target("reader");
  await call(reader, "whats_new", { limit: 200 });
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const told: number[] = [];
    for (let said = 0; said < NEWS_PER_ROUND; said++)
      told.push((await call(arena.target("teller"), "post_message", { body: `${round}.${said}` })).message_id);
    await askAndReset(arena, reader);
    const heard = await readUntil(reader, told.at(-1) ?? 0);
    const lost = told.filter((message) => !heard.includes(message));
    if (lost.length > 0)
      problems.push(`round ${round}: lost the messages ${lost.join(", ")} with an answer that was cut`);
  }
  return problems;
}

async function askAndReset(arena: Arena, { port, token }: Target) {
  // Who called a moment ago is not noted as present again, which would wait for the lock as well.
  await call({ port, token }, "whats_new", { peek: true });
  const release = await lockDatabase(arena);
  const body = "{}";
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write(
    `POST /api/whats_new HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await pause(ARRIVED);
  socket.resetAndDestroy();
  await pause(ARRIVED / 3);
  await release();
  await pause(ARRIVED / 3);
}

/** Reads the news until a message is among them, or for five seconds. */
async function readUntil(reader: Target, message: number): Promise<number[]> {
  const heard: number[] = [];
  for (const started = performance.now(); performance.now() - started < 5_000; await pause(20)) {
    const { events } = await call(reader, "whats_new", { limit: 200 });
    heard.push(...events.flatMap(({ message_id }: { message_id: number | null }) => message_id ?? []));
    if (heard.includes(message)) break;
  }
  return heard;
}

/** Keeps every write of the organization waiting until released. */
async function lockDatabase({ kind, database }: Arena): Promise<() => Promise<void>> {
  if (kind === "sqlite") {
    const db = new DatabaseSync(database, { timeout: 5_000 });
    db.exec("begin immediate");
    return async () => db.close();
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query("begin; select 1 from logs where organization = 'main' for update");
  return () => client.end();
}
