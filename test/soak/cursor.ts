import { setTimeout as pause } from "node:timers/promises";
import { type Arena, type Clients, startClients } from "./arena.ts";
import { lineOf, type ReaderJob, type Seen } from "./readers.ts";

const WRITERS = 16;
const WRITING_PROCESSES = 4;
const READING_PROCESSES = 2;

/** Ways to read, and how many readers go each. */
const READERS = { readPages: 8, followStream: 6, readNewsWithAck: 4, readNewsWithoutCuts: 2 } as const;
type Way = keyof typeof READERS;
const WAYS = Object.keys(READERS) as Way[];

/**
 * Sixteen writers and twenty readers of every kind at all nodes, for `seconds`. Then each reader must have seen the log as it
 * is kept: nothing missed, nothing twice, in the one order; and its positions are dense.
 */
export async function sameForAll(arena: Arena, seconds: number, ways: readonly Way[] = WAYS): Promise<string[]> {
  const writers = Array.from({ length: WRITERS }, (_, index) => `writer${index}`);
  const readers = ways.flatMap((way) =>
    Array.from({ length: READERS[way] }, (_, index) => ({ way, handle: `${way.toLowerCase()}${index}` })),
  );
  await arena.seat([...writers, ...readers.map(({ handle }) => handle)]);
  const from = await readHead(arena);
  const writing = startClients(WRITING_PROCESSES);
  const reading = startClients(READING_PROCESSES);
  const jobOf = (handle: string): ReaderJob => {
    return { targets: everywhere(arena, handle), seed: arena.random.fork(handle).int(1, 2 ** 30), from };
  };
  try {
    const seen = Promise.all(readers.map(({ way, handle }, index) => reading.at(index).ask<Seen>(way, jobOf(handle))));
    seen.catch(() => undefined); // looked at below
    await write(writing, writers.map(jobOf), seconds);
    const head = await readHead(arena);
    await Promise.all(reading.all.map((client) => client.ask("stop", head)));
    const results = await inTime(seen, 60_000);
    if (!results) return [`not every reader reached ${head} within a minute`];
    return judge(
      await readLog(arena, from),
      from,
      results.map((result, index) => ({ ...result, name: readers[index]?.handle ?? "" })),
    );
  } finally {
    writing.stop();
    reading.stop();
  }
}

/** All write for so long; one that fails ends it at once. */
async function write(clients: Clients, jobs: readonly ReaderJob[], seconds: number): Promise<void> {
  const written = Promise.all(jobs.map((job, index) => clients.at(index).ask<number>("write", job)));
  await Promise.race([pause(seconds * 1_000), written]);
  await Promise.all(clients.all.map((client) => client.ask("stop")));
  await written;
}

function judge(log: readonly LogRow[], from: number, readers: readonly (Seen & { readonly name: string })[]): string[] {
  const expected = log.map(lineOf);
  const ids = log.map(({ id }) => id);
  return [...judgeDensity(ids, from), ...readers.flatMap((reader) => judgeReader(expected, reader))].slice(0, 10);
}

/** A reader at every node, in turn. */
function everywhere(arena: Arena, handle: string) {
  return arena.nodes.map((_, node) => arena.target(handle, node));
}

/** Nothing but the writers writes meanwhile, all in one room: so its log has no gap. */
function judgeDensity(ids: readonly number[], from: number): string[] {
  const gap = ids.findIndex((id, index) => id !== from + 1 + index);
  return gap < 0 ? [] : [`the log goes on with ${ids[gap]} after ${ids[gap - 1] ?? from}`];
}

export function judgeReader(
  expected: readonly string[],
  { name, ...seen }: Seen & { readonly name: string },
): string[] {
  const problems = seen.problems.map((problem) => `${name}: ${problem}`);
  const missed = missing(expected, seen.lines);
  const extra = seen.lines.length - new Set(seen.lines).size;
  if (missed.length > 0) problems.push(`${name} missed ${missed.length} of ${expected.length}, such as "${missed[0]}"`);
  if (extra > 0) problems.push(`${name} saw ${extra} twice`);
  const different = seen.lines.findIndex((line, index) => line !== expected[index]);
  if (problems.length === 0 && different >= 0)
    problems.push(`${name} saw "${seen.lines[different]}" where the log has "${expected[different]}"`);
  return problems;
}

function missing(expected: readonly string[], lines: readonly string[]): string[] {
  const there = new Set(lines);
  return expected.filter((line) => !there.has(line));
}

interface LogRow {
  readonly id: number;
  readonly kind: string;
  readonly actor: string;
  readonly task_id: number | null;
  readonly message_id: number | null;
}

export function readLog(arena: Arena, from: number): Promise<LogRow[]> {
  return arena.rows<LogRow>(`
    select position as id, kind, actor, task as task_id, message as message_id
    from events
    where organization = 'main' and position > ${from}
    order by position`);
}

export async function readHead(arena: Arena): Promise<number> {
  const [head] = await arena.rows<{ position: number }>(
    "select max(position) as position from events where organization = 'main'",
  );
  return head?.position ?? 0;
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return Promise.race([work, pause(ms, undefined, { ref: false })]);
}
