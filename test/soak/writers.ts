import { setTimeout as pause } from "node:timers/promises";
import { call, post, type Target } from "./http.ts";
import { seeded } from "./random.ts";

/** Told from outside while a client runs. */
export interface Told {
  readonly stop: boolean;
  readonly head: number;
}

/** Writes messages, notes and tasks at random nodes until told to stop. Gives how many were acknowledged. */
export async function writeUntilTold(
  { targets, seed }: { targets: readonly Target[]; seed: number },
  told: Told,
): Promise<number> {
  const random = seeded(seed);
  // Notes on a task of its own meet no other writer before the log.
  const { created } = await call(random.pick(targets), "create_task", { title: `work of ${seed}` });
  let written = 0;
  while (!told.stop) {
    const target = random.pick(targets);
    const choice = random.int(1, 10);
    if (choice <= 6) await call(target, "add_note", { task_id: created.id, body: `note ${written} of ${seed}` });
    else if (choice <= 9)
      await call(target, "post_message", { body: `message ${written} of ${seed} ${"x".repeat(random.int(0, 400))}` });
    else await call(target, "create_task", { title: `task ${written} of ${seed}` });
    written += 1;
  }
  return written;
}

/** A message as its writer knows it. */
export interface Written {
  readonly body: string;
  readonly message: number;
  /** How often it was sent before an answer came. */
  readonly attempts: number;
}

/**
 * Posts messages through crashes: one that got no answer is sent again with the same key until there is one. Now and then an
 * answered one is sent again too, which must give the same answer.
 *
 * @returns what was acknowledged.
 * @throws Error for an answer that is neither a success nor a sign that the hub or its database is away.
 */
export async function writeUntilAcknowledged(
  { targets, name }: { targets: readonly Target[]; name: string },
  told: Told,
): Promise<Written[]> {
  const all: Written[] = [];
  const random = seeded(name.length * 7_919 + (name.codePointAt(name.length - 1) ?? 0));
  while (!told.stop) {
    const body = `${name} #${all.length}`;
    const written = await postUntilAnswered(targets, body, `key-${name}-${all.length}`);
    all.push(written);
    if (random.int(1, 5) > 1) continue;
    const again = await postUntilAnswered(targets, body, `key-${name}-${all.length - 1}`);
    if (again.message !== written.message)
      throw new Error(`"${body}" was answered ${written.message} and then ${again.message}`);
  }
  return all;
}

async function postUntilAnswered(targets: readonly Target[], body: string, key: string): Promise<Written> {
  for (let attempts = 1; ; attempts++) {
    const target = targets[attempts % targets.length];
    if (!target) throw new Error("There is no hub to write to.");
    const reply = await post(target, "post_message", { body }, { key }).catch(() => undefined);
    if (reply?.status === 200) return { body, message: reply.body.message_id, attempts };
    if (reply && !AWAY.includes(reply.body.error?.code))
      throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
    await pause(20);
  }
}

const AWAY = ["database_away", "outcome_unknown", "stopping"];
