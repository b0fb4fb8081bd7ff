// A hub as a process of its own, for others to load, to stop and to kill. What it can be asked besides HTTP is what a test
// of the hub can do as well: seat members, move the clock, tell what it used.
import { addMember, type Role, seat, seatPeople, signInAs } from "../../src/testkit/cast.ts";
import { readSettings } from "../../src/config.ts";
import { startHub } from "../../src/hub.ts";
import { sql } from "../../src/store/sql.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { answerQuestions } from "./rpc.ts";

const clock = { offset: 0 };
const hub = await startHub(readSettings(), { clock });

/**
 * Kills this process at the next approval of an answer, as a machine that dies does: with everything written and nothing committed
 * yet, or with all of it committed and nobody told.
 */
function dieAt(point: "before commit" | "after commit") {
  const die = () => process.kill(process.pid, "SIGKILL");
  const { committed } = hub.core;
  if (point === "after commit")
    return void Object.assign(hub.core, {
      committed(...told: Parameters<typeof committed>) {
        if (told[1].some(({ kind }) => kind === "question_answered")) die();
        committed(...told);
      },
    });
  const write = hub.store.write.bind(hub.store);
  const dying: Store["write"] = (organization, work) =>
    write(organization, async (tx) => {
      const before = await countApproved(tx);
      const value = await work(tx);
      if ((await countApproved(tx)) > before) die();
      return value;
    });
  Object.assign(hub.store, { write: dying });
}

async function countApproved(tx: Tx): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`select count(*) as count from approvals where state = 'approved'`);
  return Number(row?.count);
}

answerQuestions({
  port: () => hub.port,
  async seat(members: Readonly<Record<string, Role>>) {
    const tokens: Record<string, string> = {};
    await hub.store.write("main", async (tx) => {
      for (const [handle, role] of Object.entries(members)) tokens[handle] = await addMember(tx, "main", handle, role);
    });
    return tokens;
  },
  async seatCast() {
    return Object.fromEntries([...(await seat(hub.store)), ...(await seatPeople(hub.store))]);
  },
  signIn: (person: string) => hub.store.write("main", (tx) => signInAs(tx, "main", person, "web")),
  dieAt,
  later(ms: number) {
    clock.offset += ms;
    hub.callers.forget();
  },
  used: () => ({ cpu: process.cpuUsage(), memory: process.memoryUsage() }),
  close: () => hub.close(),
});
