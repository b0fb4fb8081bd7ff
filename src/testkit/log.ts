import { sql } from "../store/sql.ts";
import type { TestHub } from "./hub.ts";

/** A transaction has seconds, also on a machine with much else to do. */
const AT_ONCE = 10_000;

/** Writes many events of one member into a room of `main`, as if it had worked there for long. Gives the last position. */
export async function fillLog(hub: TestHub, room: string, actor: string, count: number): Promise<number> {
  let last = 0;
  for (let left = count; left > 0; left -= AT_ONCE) last = await fillSome(hub, room, actor, Math.min(left, AT_ONCE));
  return last;
}

function fillSome({ hub }: TestHub, room: string, actor: string, count: number): Promise<number> {
  return hub.store.write("main", async (tx) => {
    await tx.run(sql`
      insert into events (organization, position, room, at, kind, actor, detail, concerns, hash)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select l.organization, l.position + n, r.id, cast(${tx.now} as bigint), 'message', cast(${actor} as text), 'filled', '', ''
      from numbers
      join logs l on l.organization = 'main'
      join rooms r on r.organization = 'main' and r.name = ${room}`);
    const log = await tx.one<{ position: number }>(sql`
      update logs set position = position + ${count} where organization = 'main' returning position`);
    if (!log) throw new Error("There is no log.");
    return log.position;
  });
}

/** Writes many events of questions that `person` may know of, as if `actor` had asked it for long. Gives the last position. */
export function fillQuestions({ hub }: TestHub, person: string, actor: string, count: number): Promise<number> {
  return hub.store.write("main", async (tx) => {
    const numbers = sql`
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select`;
    await tx.run(sql`
      insert into events (organization, position, at, kind, actor, question, detail, concerns, hash)
      ${numbers} l.organization, l.position + n, cast(${tx.now} as bigint), 'question_asked', cast(${actor} as text), n, '', '', ''
      from numbers
      join logs l on l.organization = 'main'`);
    await tx.run(sql`
      insert into personal_events (organization, member, position)
      ${numbers} l.organization, cast(${person} as text), l.position + n
      from numbers
      join logs l on l.organization = 'main'`);
    const log = await tx.one<{ position: number }>(sql`
      update logs set position = position + ${count} where organization = 'main' returning position`);
    if (!log) throw new Error("There is no log.");
    return log.position;
  });
}
