import { z } from "zod";
import { HubError } from "../../core/errors.ts";
import { cursorOf, type LogHead, positionOf, readHead } from "../../core/event-log.ts";
import type { LoggedEvent } from "../../core/events.ts";
import type { Stretch } from "../../core/handovers.ts";
import { defineWait, type WaitContext } from "../../core/operation.ts";
import { StoreError, type Tx } from "../../store/store.ts";
import { cursorField } from "./cursor-field.ts";
import { decideAndNote, MOST_CAUSES } from "../wakes/may-wake.ts";
import { boundsOf, countNews, type Unread } from "./news.ts";
import { type Followed, followQuestions, followRoom, startIn, whereStands } from "./places.ts";
import { scanBackward } from "./scan.ts";

export const waitForChange = defineWait({
  name: "wait_for_change",
  title: "Wait for a change",
  description:
    "Waits until another member does something in the room, or the time is up. Moves no place; pass the cursor as since_id to wait on.",
  needs: "read",
  input: z.object({
    timeout_s: z.int().min(1).default(45),
    since_id: cursorField("Event id or cursor; your place if left out").optional(),
  }),
  output: z.object({
    changed: z.boolean(),
    waited_s: z.number(),
    unread: z.int(),
    questions: z.int().optional(),
    cursor: z.string(),
    hint: z.string(),
  }),
  errors: [
    "unknown_cursor",
    "cursor_ahead",
    "cursor_expired",
    "epoch_changed",
    "too_many_streams",
    "not_signed_in",
    "stopping",
  ],
  example: { timeout_s: 1 },

  async run(context, { timeout_s, since_id }) {
    const { read, nextNews, signal, settings } = context;
    const started = performance.now();
    const patience = Math.min(timeout_s, settings.maxWaitSeconds) * 1_000;
    let where: Where | undefined;
    let isPaused = false;
    for (;;) {
      const left = patience - (performance.now() - started);
      // Taken before reading, so a commit in between is not missed.
      const bell = nextNews(Math.max(left, 0));
      const { followed, head } = await read((tx) => look({ ...context, tx }, where, since_id));
      if (signal.reason instanceof HubError) throw signal.reason;
      const isNews = followed.some(({ unread }) => unread.count > 0);
      if (isNews && (await mayWake(context, followed))) return answer(followed, head, performance.now() - started);
      isPaused ||= isNews;
      if (left <= 0 || signal.aborted)
        return { ...answer(followed.map(silenced), head, performance.now() - started), ...(isPaused && PAUSED) };
      where = followed.map(({ unread }) => unread.rest);
      if (followed.every(({ unread }) => unread.looked)) await bell;
    }
  },
});

/** Where to look on: in the room, and in the questions of the person that the caller acts for, if it acts for one. */
type Where = readonly (readonly Stretch[])[];

interface Looked extends Followed {
  readonly from: readonly Stretch[];
  readonly unread: Unread;
}

/** Counts what others did after `where`; at first that is `since`, or else the caller's own places. */
async function look(context: WaitContext & { tx: Tx }, where: Where | undefined, since: string | number | undefined) {
  const { tx, caller, room } = context;
  const head = await readHead(tx, caller.organization);
  const questions = followQuestions(caller, caller.path);
  const followed: Looked[] = [];
  for (const one of [followRoom(caller, room, caller.path), ...(questions ? [questions] : [])]) {
    const from = where?.[followed.length] ?? (await startOf(context, one, head, since));
    followed.push({ ...one, from, unread: await countNews(tx, one.news, from, head) });
  }
  return { head, followed };
}

async function startOf(
  context: WaitContext & { tx: Tx },
  followed: Followed,
  head: LogHead,
  since: string | number | undefined,
): Promise<readonly Stretch[]> {
  if (since === undefined) return (await whereStands(context, followed, head)).open;
  return [{ from: await startIn(context.tx, followed.news, head, positionOf(head, since)), to: null }];
}

/** Who waits is woken by the answer: unless what came is a circle of agents that wake each other. Who cannot write closes none. */
async function mayWake({ caller, room, write }: WaitContext, followed: readonly Looked[]): Promise<boolean> {
  if (!caller.roles.has("write")) return true;
  const decided = write(async (tx) => {
    const events = await listNewest(tx, followed);
    if (events.every(({ kind }) => kind === "wakes_paused")) return false;
    // How often it waits is its own affair.
    const wake = await decideAndNote(
      { tx, caller, room, settings: { wakesPerHour: 0 } },
      events.map(({ position }) => position),
    );
    return !("refused" in wake && wake.refused === "chain");
  });
  return decided.catch((error: unknown) => {
    // Where nothing can be written, nobody can go on with a circle.
    if (error instanceof StoreError) return true;
    throw error;
  });
}

async function listNewest(tx: Tx, followed: readonly Looked[]): Promise<LoggedEvent[]> {
  const found: LoggedEvent[] = [];
  for (const { news, from } of followed) {
    for (const stretch of from) {
      const { events } = await scanBackward(tx, { ...news, ...boundsOf(stretch), limit: MOST_CAUSES });
      found.push(...events);
    }
  }
  return found;
}

function silenced(looked: Looked): Looked {
  return { ...looked, unread: { ...looked.unread, count: 0 } };
}

function answer(followed: readonly Looked[], head: LogHead, waited: number) {
  const [room, questions] = followed.map(({ unread }) => unread.count);
  const changed = (room ?? 0) + (questions ?? 0) > 0;
  return {
    changed,
    waited_s: Math.round(waited / 100) / 10,
    unread: room ?? 0,
    ...(questions !== undefined && { questions }),
    cursor: cursorOf(head, head.position),
    hint: changed ? "Read it with whats_new." : "Nothing new. Wait again, or go on with other work.",
  };
}

const PAUSED = {
  hint: "Agents wake each other in a circle: nothing of it wakes you until a person acts; whats_new has it.",
};
