import { z } from "zod";
import { HubError } from "../../core/errors.ts";
import { cursorOf, type LogHead, positionOf, readHead } from "../../core/event-log.ts";
import type { Stretch } from "../../core/handovers.ts";
import { defineWait, type WaitContext } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { cursorField } from "./cursor-field.ts";
import { countNews, type Unread } from "./news.ts";
import { type Followed, followQuestions, followRoom, whereStands } from "./places.ts";

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
  errors: ["unknown_cursor", "cursor_ahead", "epoch_changed", "too_many_streams", "not_signed_in", "stopping"],
  example: { timeout_s: 1 },

  async run(context, { timeout_s, since_id }) {
    const { read, nextNews, signal, settings } = context;
    const started = performance.now();
    const patience = Math.min(timeout_s, settings.maxWaitSeconds) * 1_000;
    let where: Where | undefined;
    for (;;) {
      const left = patience - (performance.now() - started);
      // Taken before reading, so a commit in between is not missed.
      const bell = nextNews(Math.max(left, 0));
      const { unread, head } = await read((tx) => look({ ...context, tx }, where, since_id));
      if (signal.reason instanceof HubError) throw signal.reason;
      if (unread.some(({ count }) => count > 0) || left <= 0 || signal.aborted)
        return answer(unread, head, performance.now() - started);
      where = unread.map(({ rest }) => rest);
      if (unread.every(({ looked }) => looked)) await bell;
    }
  },
});

/** Where to look on: in the room, and in the questions of the person that the caller acts for, if it acts for one. */
type Where = readonly (readonly Stretch[])[];

/** Counts what others did after `where`; at first that is `since`, or else the caller's own places. */
async function look(context: WaitContext & { tx: Tx }, where: Where | undefined, since: string | number | undefined) {
  const { tx, caller, room } = context;
  const head = await readHead(tx, caller.organization);
  const questions = followQuestions(caller, caller.path);
  const unread: Unread[] = [];
  for (const followed of [followRoom(caller, room, caller.path), ...(questions ? [questions] : [])]) {
    const from = where?.[unread.length] ?? (await startOf(context, followed, head, since));
    unread.push(await countNews(tx, followed.news, from, head));
  }
  return { head, unread };
}

async function startOf(
  context: WaitContext & { tx: Tx },
  followed: Followed,
  head: LogHead,
  since: string | number | undefined,
): Promise<readonly Stretch[]> {
  if (since !== undefined) return [{ from: positionOf(head, since), to: null }];
  return (await whereStands(context, followed, head)).open;
}

function answer([room, questions]: readonly Unread[], head: LogHead, waited: number) {
  const unread = room?.count ?? 0;
  const changed = unread + (questions?.count ?? 0) > 0;
  return {
    changed,
    waited_s: Math.round(waited / 100) / 10,
    unread,
    ...(questions && { questions: questions.count }),
    cursor: cursorOf(head, head.position),
    hint: changed ? "Read it with whats_new." : "Nothing new. Wait again, or go on with other work.",
  };
}
