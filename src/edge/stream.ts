import { cursorOf, listNewestEvents, type LogHead, positionOf, readHead } from "../core/event-log.ts";
import { fail } from "../core/errors.ts";
import { type Core, execute, roomOf } from "../core/execute.ts";
import type { Subscription } from "../core/feed.ts";
import type { Caller, Operation, RoomRef } from "../core/operation.ts";
import { refuseRole } from "../core/roles.ts";
import type { Tx } from "../store/store.ts";
import { goneSignal, type Reply, type Route, type SignedAsk, WRITTEN } from "./exchange.ts";
import { parseQuery, refuseUnknown } from "./query.ts";
import { type Elsewhere, openElsewhere } from "./stream-elsewhere.ts";
import { frame, opening, textFor } from "./stream-frames.ts";
import { openPages, type StreamPage, type StreamReaders } from "./stream-pages.ts";
import { openSinks, type Sink, type SinkTimes } from "./stream-sink.ts";
import { openTurns } from "./turns.ts";

export interface StreamParts {
  readonly core: Core;
  readonly operations: readonly Operation[];
  readonly streamReaders: StreamReaders;
  readonly times?: SinkTimes;
}

export interface Streams {
  readonly route: Route;
  close(): void;
}

/** How many events a reader that names no place is given of the past. */
const LOOK_BACK = 25;
/** Tasks and files in a snapshot. */
const NEWEST_SHOWN = 100;
/** Characters that go out in one write. */
const WRITTEN_TOGETHER = 16_384;
/** A stream waits for news, not for time. */
const NO_END = 2_147_483_647;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store",
  vary: "Authorization",
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
} as const;

interface Wish {
  readonly caller: Caller;
  readonly room: RoomRef;
  /** Whether board and files are sent again after each change. */
  readonly snapshots: boolean;
  /** Whether it is told in which other rooms something happened. */
  readonly elsewhere: boolean;
  readonly epoch: string;
  readonly position: number;
}

/**
 * `GET /v1/stream`: a room's events as they are committed, from a place on, without a gap and in order; to those who act for
 * a person that one's questions too. It moves nobody's place. It ends when the client goes, the credential or the room ends,
 * the history is replaced, or the hub stops.
 */
export function openStreams({ core, operations, streamReaders, times }: StreamParts): Streams {
  const pages = openPages(core.store, streamReaders);
  const sinks = openSinks(times);
  const snapshots = openSnapshots(core, operations);
  const turn = openTurns();

  async function run(ask: SignedAsk): Promise<Reply | typeof WRITTEN> {
    const wish = await readWish(core, streamReaders, ask);
    if (ask.method === "HEAD") return { status: 200, headers: HEADERS, body: "" };
    const subscription = core.feed.subscribe(wish, goneSignal(ask.outgoing));
    ask.outgoing.writeHead(200, { ...HEADERS, "x-request-id": ask.trace });
    const sink = sinks.open(ask.outgoing);
    try {
      const elsewhere = wish.elsewhere ? openElsewhere(core.store, streamReaders, wish, wish.position) : undefined;
      await follow(wish, subscription, sink, { pages, snapshots, elsewhere, turn });
    } finally {
      subscription.end();
      sink.end();
    }
    return WRITTEN;
  }

  return {
    // An open connection proves nothing: who reads it may be gone.
    route: { method: "GET", path: "/v1/stream", provesNothing: true, run },
    close() {
      pages.close();
      sinks.close();
    },
  };
}

/** Where a stream's frames come from. */
interface Sources {
  readonly pages: ReturnType<typeof openPages>;
  readonly snapshots: Snapshots;
  readonly elsewhere: Elsewhere | undefined;
  /** Resolves when this stream may go on after a wake. */
  readonly turn: () => Promise<void>;
}

/** A room's present state as frames: its newest tasks, its newest files. */
interface Snapshots {
  readonly board: (wish: Wish) => Promise<string>;
  readonly files: (wish: Wish) => Promise<string>;
}

async function follow(wish: Wish, { signal, nextNews }: Subscription, sink: Sink, sources: Sources) {
  const { pages, snapshots, elsewhere, turn } = sources;
  const { caller, room, epoch } = wish;
  const followed = { organization: caller.organization, room: room.id, person: caller.person };
  let { position } = wish;
  const old = { board: false, files: false };
  const begin = opening(room.name, cursorOf({ epoch, position }, position));
  if (!(await sink.write(begin + (await snapshots.board(wish)) + (await snapshots.files(wish))))) return;
  // Taken before reading, so that a commit in between is not missed.
  let bell = nextNews(NO_END);
  while (!signal.aborted) {
    const page = await pages.read(followed, position);
    if (page.epoch !== epoch || !page.roomIsThere || signal.aborted) return;
    if (!(await writePage(sink, page, caller.handle))) return;
    position = page.position;
    old.board ||= page.touchesTasks;
    old.files ||= page.touchesFiles;
    if (page.full) continue;
    for (const kind of ["board", "files"] as const) {
      if (wish.snapshots && old[kind] && !(await sink.write(await snapshots[kind](wish)))) return;
      old[kind] = false;
    }
    if (elsewhere && !(await sink.write(await elsewhere.news()))) return;
    await bell;
    await turn();
    bell = nextNews(NO_END);
  }
}

function openSnapshots(core: Core, operations: readonly Operation[]): Snapshots {
  const writer = (event: string, name: string, field: string) => {
    const list = operations.find((operation) => operation.name === name);
    if (!list) throw new Error(`There is no operation ${name}.`);
    return async ({ caller, room }: Wish) => {
      const { value } = await execute(core, list, { caller, input: { room: room.name, limit: NEWEST_SHOWN } });
      return frame(event, value[field]);
    };
  };
  return { board: writer("board", "list_tasks", "tasks"), files: writer("files", "list_files", "files") };
}

/** Small frames go out together, large ones alone. */
async function writePage(sink: Sink, { events }: StreamPage, handle: string): Promise<boolean> {
  let waiting = "";
  for (const event of events) {
    waiting += textFor(handle, event);
    if (waiting.length < WRITTEN_TOGETHER) continue;
    if (!(await sink.write(waiting))) return false;
    waiting = "";
  }
  return waiting === "" || sink.write(waiting);
}

async function readWish({ store }: Core, readers: StreamReaders, ask: SignedAsk): Promise<Wish> {
  const { caller, query, headers } = ask;
  refuseRole(caller, "read");
  const parameters = parseQuery(query);
  refuseUnknown(parameters, ["room", "after", "after_msg", "snapshots", "elsewhere"]);
  const room = roomOf(caller, parameters.get("room") || undefined);
  const lastId = headers["last-event-id"];
  if (Array.isArray(lastId)) throw fail("unknown_cursor", { problem: "comes twice" });
  const after = parameters.get("after") || undefined;
  const start = await store.read((tx) => startOf(tx, readers, { caller, room }, { lastId, after }));
  const [snapshots, elsewhere] = ["snapshots", "elsewhere"].map((name) => parameters.get(name) === "1");
  return { caller, room, snapshots: snapshots === true, elsewhere: elsewhere === true, ...start };
}

/** An event's id as the originals' clients keep it. Unlike a cursor it does not say of which history it is. */
const BARE_ID = /^[1-9]\d{0,15}$/;

/**
 * Where a reader begins: after the last id it saw, else where it says, else a little in the past; there too when it says an id
 * that this log has not come to.
 *
 * @throws HubError `unknown_cursor`, `epoch_changed`, `cursor_ahead`, `cursor_expired`
 */
async function startOf(
  tx: Tx,
  { readableFrom }: StreamReaders,
  { caller, room }: Pick<Wish, "caller" | "room">,
  { lastId, after }: { readonly lastId: string | undefined; readonly after: string | undefined },
) {
  const head = await readHead(tx, caller.organization);
  const { epoch } = head;
  const log = { organization: caller.organization, room: room.id };
  const behind = async (position: number) => ({ epoch, position: await readableFrom(tx, log, head, position) });
  if (lastId !== undefined) return behind(positionOf(head, lastId));
  if (after === "all") return behind(0);
  if (after === "now") return { epoch, position: head.position };
  const isBeyond = after !== undefined && BARE_ID.test(after) && Number(after) > head.position;
  if (after !== undefined && !isBeyond) return behind(positionOf(head, after));
  const oldest = await readableFrom(tx, log, head, 0);
  return { epoch, position: Math.max(await lookBack(tx, caller, room, head), oldest) };
}

/** Before the last few events of what the stream follows. */
async function lookBack(tx: Tx, { organization, person }: Caller, room: RoomRef, head: LogHead): Promise<number> {
  const ofRoom = await listNewestEvents(tx, { organization, room: room.id, limit: LOOK_BACK });
  const ofPerson =
    person === undefined
      ? []
      : await listNewestEvents(tx, { organization, room: null, member: person, limit: LOOK_BACK });
  const positions = [...ofRoom, ...ofPerson].map((event) => event.position).sort((a, b) => a - b);
  const oldest = positions.at(-LOOK_BACK) ?? positions[0];
  return oldest === undefined ? head.position : oldest - 1;
}
