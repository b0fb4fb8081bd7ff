import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { call, post, type Reply, type Target } from "./http.ts";
import { type Random, seeded } from "./random.ts";
import type { Told } from "./writers.ts";

/** How a reader reads: at any of these nodes, a seed for its whims. */
export interface ReaderJob {
  readonly targets: readonly Target[];
  readonly seed: number;
  /** It has seen everything up to here. */
  readonly from: number;
}

/** What a reader saw, in its order; events as one line each. */
export interface Seen {
  readonly lines: readonly string[];
  /** What should not have happened. */
  readonly problems: readonly string[];
}

interface EventAnswer {
  readonly id: number;
  readonly kind: string;
  readonly actor: string;
  readonly task_id: number | null;
  readonly message_id: number | null;
  readonly again?: true;
}

/** An event as all readers must see it. */
export function lineOf({ id, kind, actor, task_id, message_id }: EventAnswer): string {
  return `${id} ${kind} ${actor} ${task_id ?? "-"} ${message_id ?? "-"}`;
}

/** Reads `read_events` in pages of random size at random nodes, sometimes cutting the connection and asking again. */
export async function readPages({ targets, seed, from }: ReaderJob, told: Told): Promise<Seen> {
  const random = seeded(seed);
  const lines: string[] = [];
  let last = from;
  while (last < told.head) {
    const limit = random.pick([1, 2, random.int(1, 50), random.int(1, 500)]);
    const reply = await post(
      random.pick(targets),
      "read_events",
      { since_id: last, limit },
      cutNowAndThen(random),
    ).catch(() => undefined);
    if (!reply) continue;
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    for (const event of reply.body.events) lines.push(lineOf(event));
    last = reply.body.events.at(-1)?.id ?? last;
    if (reply.body.events.length === 0) await pause(random.int(0, 5));
  }
  return { lines, problems: [] };
}

function cutNowAndThen(random: Random) {
  return random.int(1, 8) === 1 ? { cutAfter: random.int(0, 6) } : {};
}

/** Follows the stream, cut after random amounts, and goes on with the last id it saw. */
export async function followStream({ targets, seed, from }: ReaderJob, told: Told): Promise<Seen> {
  const random = seeded(seed);
  const lines: string[] = [];
  const problems: string[] = [];
  let last = { position: from, id: String(from), chat: 0 };
  while (last.position < told.head) {
    const most = random.pick([random.int(1, 4_000), random.int(1, 400_000)]);
    const text = await readSome(random.pick(targets), last.id, most, () => told.head);
    // What follows the last whole frame was cut off with the connection.
    for (const frame of text.split("\n\n").slice(0, -1)) {
      const { event, id, data } = parseFrame(frame);
      if (event === "chat") last = { ...last, chat: JSON.parse(data).id };
      if (event !== "activity") continue;
      const told = JSON.parse(data) as EventAnswer;
      if (told.id <= last.position) problems.push(`${told.id} came after ${last.position}`);
      if (told.kind === "message" && told.message_id !== last.chat)
        problems.push(`message ${told.message_id} came without its text`);
      lines.push(lineOf(told));
      last = { ...last, position: told.id, id };
    }
  }
  return { lines, problems };
}

function parseFrame(frame: string) {
  const fields = new Map(
    frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return { event: fields.get("event"), id: fields.get("id") ?? "", data: fields.get("data") ?? "" };
}

/** Opens the stream and reads about `most` bytes of it, or until the head is in it. */
function readSome({ port, token }: Target, lastId: string, most: number, head: () => number): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, "last-event-id": lastId };
    const outgoing = request({ host: "127.0.0.1", port, path: "/v1/stream", headers, agent: false });
    let text = "";
    const done = () => {
      clearInterval(look);
      outgoing.destroy();
      resolve(text);
    };
    const look = setInterval(() => text.includes(`"id":${head()},`) && done(), 50);
    outgoing.on("error", done);
    outgoing.on("response", (incoming) => {
      incoming.setEncoding("utf8");
      incoming.on("error", done);
      incoming.on("end", done);
      incoming.on("data", (chunk: string) => {
        text += chunk;
        if (text.length >= most) done();
      });
    });
    outgoing.end();
  });
}

/**
 * Asks `whats_new` and acknowledges with the next call; sometimes cuts the connection while the answer is on its way. Every
 * event arrives; one that comes a second time says so.
 */
export async function readNewsWithAck({ targets, seed, from }: ReaderJob, told: Told): Promise<Seen> {
  const random = seeded(seed);
  const seen = new Map<number, string>();
  const problems: string[] = [];
  // What was offered before is none of this reader's business.
  let ack: string | number = 0;
  let last = from;
  while (last < told.head) {
    const limit = random.pick([1, random.int(1, 20), random.int(1, 200)]);
    const reply: Reply | undefined = await post(
      random.pick(targets),
      "whats_new",
      { ack, limit },
      cutNowAndThen(random),
    ).catch(() => undefined);
    if (!reply) continue;
    if (reply.status !== 200) throw new Error(`after ${last}, ack ${ack}: ${JSON.stringify(reply.body)}`);
    for (const event of newsSince(from, reply.body)) {
      if (seen.has(event.id) && !event.again) problems.push(`${event.id} came twice and was not marked`);
      if (!seen.has(event.id) && event.id < last) problems.push(`${event.id} came after ${last}`);
      seen.set(event.id, lineOf(event));
      last = Math.max(last, event.id);
    }
    ack = reply.body.cursor;
    if (reply.body.events.length === 0) await pause(random.int(0, 10));
  }
  return { lines: [...seen.values()], problems };
}

/** Asks `whats_new` plainly and takes every answer whole: then each event comes once. */
export async function readNewsWithoutCuts({ targets, seed, from }: ReaderJob, told: Told): Promise<Seen> {
  const random = seeded(seed);
  const lines: string[] = [];
  let last = from;
  while (last < told.head) {
    const answer = await call(random.pick(targets), "whats_new", { limit: random.int(1, 100) });
    for (const event of newsSince(from, answer)) lines.push(lineOf(event));
    last = answer.events.at(-1)?.id ?? last;
    if (answer.events.length === 0) await pause(random.int(0, 10));
  }
  return { lines, problems: [] };
}

function newsSince(from: number, { events }: { readonly events: readonly EventAnswer[] }) {
  return events.filter(({ id }) => id > from);
}
