import { setTimeout as pause } from "node:timers/promises";
import { hashOfEvent } from "../../src/core/event-log.ts";
import { type Arena, type PostgresServer, startClients } from "./arena.ts";
import { call } from "./http.ts";
import type { Written } from "./writers.ts";

const WRITERS = 8;
const PROCESSES = 2;

/** How a crash loop goes: kills of a hub, and of the whole database server after every so many of them. */
export interface CrashPlan {
  readonly kills: number;
  readonly postgres?: PostgresServer | undefined;
  readonly crashEvery?: number;
}

/**
 * Kills a hub with SIGKILL again and again, each time 50 to 400 ms after it began to serve, while writers write with
 * idempotency keys and repeat what got no answer. Then everything acknowledged is there once, under the number told, and
 * nothing else is.
 */
export async function nothingLost(arena: Arena, plan: CrashPlan): Promise<string[]> {
  const names = Array.from({ length: WRITERS }, (_, index) => `writer${index}`);
  await arena.seat(names);
  const clients = startClients(PROCESSES);
  try {
    const targets = (name: string, index: number) => arena.nodes.map((_, node) => arena.target(name, index + node));
    const writing = Promise.all(
      names.map((name, index) =>
        clients.at(index).ask<Written[]>("writeThroughCrashes", { targets: targets(name, index), name }),
      ),
    );
    writing.catch(() => undefined); // looked at below
    const problems = await killAgainAndAgain(arena, plan);
    await Promise.all(clients.all.map((client) => client.ask("stop")));
    const written = (await writing).flat();
    return [
      ...problems,
      ...(await judgeWritten(arena, written)),
      ...(await judgeHashes(arena)),
      ...(await judgeFile(arena)),
    ];
  } finally {
    clients.stop();
  }
}

async function killAgainAndAgain(
  arena: Arena,
  { kills, postgres, crashEvery = Infinity }: CrashPlan,
): Promise<string[]> {
  const problems: string[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await pause(arena.random.int(50, 400));
    const node = arena.random.pick(arena.nodes);
    await node.kill();
    if (kill % crashEvery === 0) await postgres?.crash();
    if (kill % 5 === 0) problems.push(...(await judgeFile(arena)));
    await node.start();
  }
  return problems;
}

/** Everything acknowledged is there once, under the number told, and nothing else is. */
export async function judgeWritten(arena: Arena, written: readonly Written[]): Promise<string[]> {
  const rows = await arena.rows<{ number: number; body: string }>(
    "select number, body from messages where organization = 'main' order by number",
  );
  const kept = Map.groupBy(rows, ({ body }) => body);
  const problems = written.flatMap(({ body, message }) => {
    const found = kept.get(body) ?? [];
    kept.delete(body);
    if (found.length === 0) return [`"${body}" was acknowledged as ${message} and is lost`];
    if (found.length > 1) return [`"${body}" is there ${found.length} times`];
    return found[0]?.number === message ? [] : [`"${body}" was acknowledged as ${message} and is ${found[0]?.number}`];
  });
  problems.push(...[...kept.keys()].map((body) => `"${body}" is there and nobody was told`));
  if (written.length < 50) problems.push(`only ${written.length} messages were written: that shows nothing`);
  if (!written.some(({ attempts }) => attempts > 1))
    problems.push("no message was cut off by a crash: that shows nothing");
  return [...problems, ...(await judgeEvents(arena, rows.length))].slice(0, 10);
}

/** Each message has its event, and the log no gap. */
async function judgeEvents(arena: Arena, messages: number): Promise<string[]> {
  const rows = await arena.rows<{ count: number; different: number; last: number; all_events: number }>(`
    select count(case when kind = 'message' then 1 end) as count, count(distinct case when kind = 'message' then message end) as different,
      max(position) as last, count(*) as all_events
    from events
    where organization = 'main'`);
  const { count = 0, different = 0, last = 0, all_events = 0 } = rows[0] ?? {};
  const problems = last === all_events ? [] : [`the log has ${all_events} events and ends at ${last}`];
  return count === messages && different === messages
    ? problems
    : [...problems, `${messages} messages have ${count} events, ${different} of them different`];
}

type EventRow = Parameters<typeof hashOfEvent>[0] & { readonly hash: string };

/** What was written half would not match its digest. */
async function judgeHashes(arena: Arena): Promise<string[]> {
  const rows = await arena.rows<EventRow>(`
    select organization, position, room, at, kind, actor, task, message, file, question, detail, concerns, credential, address,
      content_hash, hash
    from events`);
  return rows
    .filter((row) => hashOfEvent(row) !== row.hash)
    .map(({ position }) => `event ${position} does not match its digest`);
}

async function judgeFile(arena: Arena): Promise<string[]> {
  if (arena.kind !== "sqlite") return [];
  const [result] = await arena.rows<Record<string, string>>("pragma quick_check");
  const said = Object.values(result ?? {})[0];
  return said === "ok" ? [] : [`quick_check says ${said}`];
}

/** Two calls with one key at the same moment, again and again: one effect, one answer. */
export async function oneEffectPerKey(arena: Arena, rounds: number): Promise<string[]> {
  await arena.seat(["twin"]);
  const problems: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const twins = [0, 1].map((node) =>
      call(arena.target("twin", node), "post_message", { body: `twin ${round}` }, { key: `twin-${round}` }),
    );
    const [first, second] = await Promise.all(twins);
    if (first.message_id !== second.message_id)
      problems.push(`round ${round}: the key had two effects, ${first.message_id} and ${second.message_id}`);
  }
  return problems.slice(0, 5);
}
