import { setTimeout as pause } from "node:timers/promises";
import { type Arena, startClients } from "./arena.ts";
import { judgeWritten } from "./crash.ts";
import { judgeReader, readHead, readLog } from "./cursor.ts";
import { call, type Target } from "./http.ts";
import { balance } from "./proxies.ts";
import { lineOf, type Seen } from "./readers.ts";
import type { Written } from "./writers.ts";

const WRITERS = ["w0", "w1", "w2", "w3"];
const READERS = { f0: "followStream", f1: "followStream", f2: "followStream", p0: "readPages", n0: "readNewsWithAck" };

/**
 * Writers and readers know one address with every node behind it. In the middle of `seconds` one node is killed and stays away:
 * what was acknowledged is there once, and every reader goes on where it was, at whichever node.
 */
export async function oneNodeLess(arena: Arena, seconds: number): Promise<string[]> {
  await arena.seat([...WRITERS, ...Object.keys(READERS)]);
  const proxy = await balance(() => arena.nodes.map(({ port }) => port));
  const clients = startClients(2);
  const behind = (handle: string): Target[] => [{ port: proxy.port, token: arena.target(handle).token }];
  const from = await readHead(arena);
  try {
    const seen = Promise.all(
      Object.entries(READERS).map(async ([name, way], seed) => ({
        ...(await clients.at(seed).ask<Seen>(way, { targets: behind(name), seed, from })),
        name,
      })),
    );
    const writing = Promise.all(
      WRITERS.map((name, index) =>
        clients.at(index).ask<Written[]>("writeThroughCrashes", { targets: behind(name), name }),
      ),
    );
    for (const work of [seen, writing]) work.catch(() => undefined); // looked at below
    await pause(seconds * 500);
    await arena.nodes.at(-1)?.kill();
    await pause(seconds * 500);
    await Promise.all(clients.all.map((client) => client.ask("stop")));
    const written = (await writing).flat();
    await Promise.all(clients.all.map(async (client) => client.ask("stop", await readHead(arena))));
    const readers = await Promise.race([seen, pause(60_000, undefined, { ref: false })]);
    if (!readers) return ["not every reader came to the end within a minute"];
    const expected = (await readLog(arena, from)).map(lineOf);
    return [...(await judgeWritten(arena, written)), ...readers.flatMap((reader) => judgeReader(expected, reader))];
  } finally {
    clients.stop();
    proxy.close();
  }
}

/** What a node is told within (ms) when it hears the others; the look for lost hints comes every second. */
const AT_ONCE = 1_000;

/**
 * Somebody waits at one node for what another writes. With LISTEN it is told at once; where a pooler swallows that, by the look
 * that comes every second, and the hub knows that it is so.
 */
export async function othersAreHeard(
  arena: Arena,
  { rounds, deaf }: { rounds: number; deaf: boolean },
): Promise<string[]> {
  await arena.seat(["poster", "waiter"]);
  await arena.seat(["boss"], { admin: true, allRooms: true });
  const knows = await askUntil(async () => {
    const { server } = await call(arena.target("boss", 1), "instance_state", {});
    return server.hears_other_nodes;
  });
  const problems = knows === !deaf ? [] : [`the hub says that it hears other nodes: ${knows}`];
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const waiting = call(arena.target("waiter", 1), "wait_for_change", { timeout_s: 30 });
    await pause(100);
    await call(arena.target("poster", 0), "post_message", { body: `@waiter round ${round}` });
    const began = performance.now();
    const { changed } = await waiting;
    times.push(performance.now() - began);
    if (!changed) problems.push(`round ${round}: nothing came`);
    await call(arena.target("waiter", 1), "whats_new", {});
  }
  const slow = times.filter((time) => time > AT_ONCE);
  if (!deaf && slow.length > 0) problems.push(`${slow.length} of ${rounds} took over a second: ${slow[0]} ms`);
  return problems;
}

/** Asks every tenth of a second until there is an answer, for half a minute. */
async function askUntil(ask: () => Promise<boolean | null>): Promise<boolean | null> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await ask();
    if (answer !== null) return answer;
    await pause(100);
  }
  return null;
}
