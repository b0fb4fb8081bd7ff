import { sql } from "../../store/sql.ts";
import type { Tx } from "../../store/store.ts";

/** Lets a person into a room. False when it was let in before. */
export async function grantRoom(tx: Tx, organization: string, person: string, room: number): Promise<boolean> {
  const granted = await tx.run(sql`
    insert into person_rooms (organization, person, room)
    values (${organization}, ${person}, ${room})
    on conflict (organization, person, room) do nothing`);
  return granted === 1;
}

/** Takes a room from a person. False when it was not let in. */
export async function revokeRoom(tx: Tx, organization: string, person: string, room: number): Promise<boolean> {
  const revoked = await tx.run(sql`
    delete from person_rooms
    where organization = ${organization} and person = ${person} and room = ${room}`);
  return revoked > 0;
}

/** Takes a room from every token of a person's agents. Gives the agents that had it. */
export async function revokeRoomOfAgents(tx: Tx, organization: string, owner: string, room: number): Promise<string[]> {
  const rows = await tx.all<{ handle: string }>(sql`
    select distinct m.handle
    from members m
    join tokens t on t.organization = m.organization and t.member = m.handle
    join token_rooms g on g.organization = t.organization and g.token = t.id
    where m.organization = ${organization} and m.owner = ${owner} and g.room = ${room}
    order by m.handle`);
  const agents = rows.map((row) => row.handle);
  await tx.run(sql`
    delete from token_rooms
    where organization = ${organization} and room = ${room}
      and token in (select t.id from tokens t where t.organization = ${organization} and t.member in (${sql.list(agents)}))`);
  return agents;
}
