import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Woken } from "./store.ts";

const CHANNEL = "crewroom";
/** Hints of one node within this time (ms) go out as one NOTIFY. */
const TELL_EVERY = 15;
/** How often (ms) the logs' heads are read, for hints that got lost. */
const POLL_EVERY = 1_000;
/** How long (ms) a node waits to hear itself, before it takes its address for one that carries no LISTEN. */
const HEARS_WITHIN = 5_000;
/** A NOTIFY payload holds less than 8,000 bytes; a hint that would be longer says "all". */
const LONGEST_HINT = 7_000;

interface Hearing {
  pool: pg.Pool;
  listenUrl: string;
  heard: (woken: Woken) => void;
}

/**
 * Wake-ups between nodes: hints by LISTEN/NOTIFY on connections of their own, never inside a writing transaction
 * (measured: NOTIFY inside cuts sixteen writers from 1,829 to 256 transactions a second), with polling as the net.
 */
export async function hearOtherNodes({ pool, listenUrl, heard }: Hearing) {
  const listener = keepListening(pool, listenUrl, heard);
  const poll = pollHeads(pool, heard);
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function send() {
    timer = undefined;
    const hint = JSON.stringify([...due]);
    due.clear();
    // A hint that is lost costs the others one poll, so its failure is nobody's error.
    pool
      .query("select pg_notify($1, $2)", [CHANNEL, hint.length > LONGEST_HINT ? '"all"' : hint])
      .catch(() => undefined);
  }

  return {
    hears: listener.hears,
    tell(organization: string) {
      due.add(organization);
      timer ??= setTimeout(send, TELL_EVERY);
    },
    async stop() {
      clearTimeout(timer);
      poll.stop();
      await listener.stop();
    },
  };
}

function keepListening(pool: pg.Pool, listenUrl: string, heard: (woken: Woken) => void) {
  let client: pg.Client | undefined;
  const ear = openEar(pool);
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;

  async function listen() {
    const mine = new pg.Client({ connectionString: listenUrl, keepAlive: true });
    client = mine;
    mine.on("notification", ({ payload }) => {
      ear.heard(payload);
      heard(wokenBy(payload));
    });
    mine.on("error", again);
    mine.on("end", again);
    await mine.connect();
    await mine.query(`listen ${CHANNEL}`);
    ear.try();
    heard("all");
  }

  function again() {
    ear.lost();
    if (stopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      listen().catch(again);
    }, POLL_EVERY);
  }

  listen().catch(again);
  return {
    hears: ear.hears,
    async stop() {
      stopped = true;
      ear.lost();
      clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}

/**
 * Whether LISTEN works is not said by Postgres: a pooler takes the statement, and hands the notifications to whoever has the
 * connection next. So a node calls itself.
 */
function openEar(pool: pg.Pool) {
  let hears: boolean | undefined;
  let called: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    hears: () => hears,
    try() {
      called = randomUUID();
      clearTimeout(timer);
      timer = setTimeout(() => (hears = false), HEARS_WITHIN).unref();
      pool.query("select pg_notify($1, $2)", [CHANNEL, JSON.stringify([called])]).catch(() => undefined);
    },
    heard(payload: string | undefined) {
      if (called === undefined || payload?.includes(called) !== true) return;
      clearTimeout(timer);
      hears = true;
    },
    lost() {
      clearTimeout(timer);
      hears = undefined;
    },
  };
}

function pollHeads(pool: pg.Pool, heard: (woken: Woken) => void) {
  const heads = new Map<string, number>();
  let busy = false;

  async function look() {
    if (busy) return;
    busy = true;
    try {
      const { rows } = await pool.query<{ organization: string; position: number }>(
        "select organization, position from logs",
      );
      const moved = rows.filter((row) => heads.get(row.organization) !== row.position);
      for (const row of moved) heads.set(row.organization, row.position);
      heard(new Set(moved.map((row) => row.organization)));
    } catch {
      // The database is away: requests say so themselves, and the next look finds what was missed.
    } finally {
      busy = false;
    }
  }

  const timer = setInterval(() => void look(), POLL_EVERY);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Anybody who may connect can notify, so a hint that is not one of ours wakes all and harms nobody. */
function wokenBy(payload: string | undefined): Woken {
  try {
    const hint: unknown = JSON.parse(payload ?? "");
    return Array.isArray(hint) ? new Set(hint.map(String)) : "all";
  } catch {
    return "all";
  }
}
