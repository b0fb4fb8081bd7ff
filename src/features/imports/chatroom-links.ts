import { OPERATOR } from "../../access/operator.ts";
import { appendEvents } from "../../core/event-log.ts";
import type { Tx } from "../../store/store.ts";
import type { Bringing } from "./chatroom-members.ts";
import { listIn, numberOf, textOf } from "./fields.ts";
import { inOneCommit, type Ledger } from "./ledger.ts";
import { movePlaces } from "./queries.ts";
import { note } from "./report.ts";
import { setNeeds } from "./timeline-queries.ts";

/** A commit ends after the needs of so many tasks. */
const BATCH = 100;

/** What tasks need, once all are there; what would close a circle, or is of another room, is left out. */
export async function importNeeds({ store, foreign, ledger, report }: Bringing): Promise<void> {
  const needsOf = new Map<string, string[]>();
  for await (const row of foreign.rows("tasks", ["id"])) {
    const old = textOf(row, "id");
    const task = ledger.find("task", old);
    if (!task) continue;
    const wanted = [...new Set(listIn(row, "depends_on"))];
    const kept = wanted.filter((need) => ledger.find("task", need)?.room === task.room && !reaches(needsOf, need, old));
    for (const left of wanted.filter((need) => !kept.includes(need)))
      note(report, `task ${old} needed ${left}, which is not in its room or needs it in turn`);
    if (kept.length > 0) needsOf.set(old, kept);
  }
  const left = [...needsOf].filter(([old]) => !ledger.find("needs", old));
  for (let from = 0; from < left.length; from += BATCH)
    await inOneCommit(store, ledger, (tx) => writeNeeds(tx, ledger, left.slice(from, from + BATCH)));
}

async function writeNeeds(tx: Tx, ledger: Ledger, needsOf: readonly (readonly [string, readonly string[]])[]) {
  const { organization } = ledger.scope;
  for (const [old, needs] of needsOf) {
    const task = ledger.find("task", old);
    if (!task || task.room === null) continue;
    const key = { organization, room: task.room, task: Number(task.new) };
    const numbers = needs.map((need) => Number(ledger.find("task", need)?.new));
    if (await setNeeds(tx, key, numbers)) {
      const told = { kind: "task_updated", room: key.room, task: key.task, detail: "needs, as imported" } as const;
      appendEvents(tx, organization, OPERATOR, [told]);
    }
    await ledger.add(tx, "needs", { old, room: key.room, new: numbers.join(",") });
  }
}

/** Whether one needs the other, directly or not. */
function reaches(needsOf: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const waiting = [from];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (one === to) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    waiting.push(...(needsOf.get(one) ?? []));
  }
  return false;
}

/** Agents read on where they had come to: what they were told there is no news here. Who has read here already stays there. */
export async function importPlaces({ store, foreign, ledger }: Bringing): Promise<void> {
  if ((await foreign.columns("cursors")).length === 0) return;
  const { organization } = ledger.scope;
  const positions = await positionsByRoom({ foreign, ledger });
  for await (const row of foreign.rows("cursors", ["agent_name", "room"])) {
    const agent = ledger.find("agent", textOf(row, "agent_name"));
    const room = ledger.find("room", textOf(row, "room"))?.room;
    const seen = numberOf(row, "last_event_id");
    const reached = positions.get(textOf(row, "room"))?.findLast(({ event }) => event <= seen);
    if (!agent || typeof room !== "number" || !reached) continue;
    await store.write(organization, (tx) => movePlaces(tx, organization, agent.new, room, reached.position));
  }
}

/** Where the log here stood when each event of there was told, in their order. */
async function positionsByRoom({ foreign, ledger }: Pick<Bringing, "foreign" | "ledger">) {
  const byRoom = new Map<string, { event: number; position: number }[]>();
  for await (const row of foreign.rows("events", ["id"])) {
    const position = Number(ledger.find("event", textOf(row, "id"))?.new ?? 0);
    const room = textOf(row, "room");
    const list = byRoom.get(room) ?? [];
    byRoom.set(room, list);
    if (position > 0) list.push({ event: numberOf(row, "id"), position });
  }
  return byRoom;
}
