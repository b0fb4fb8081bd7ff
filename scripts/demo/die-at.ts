import type { Hub } from "../../src/hub.ts";
import { sql } from "../../src/store/sql.ts";
import type { Store, Tx } from "../../src/store/store.ts";

/** Where a hub dies at the approval of an answer: with all written and nothing committed, or with all committed and nobody told. */
export type Death = "before commit" | "after commit";

/** Kills this process with SIGKILL, as a machine that loses power ends it, at the next approval of an answer. */
export function dieAt(hub: Hub, death: Death): void {
  const die = () => process.kill(process.pid, "SIGKILL");
  const { committed } = hub.core;
  if (death === "after commit")
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
