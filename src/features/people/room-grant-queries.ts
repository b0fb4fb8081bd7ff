import { isLive } from "../../access/queries.ts";
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

/** An agent, and the person it belongs to. Nothing when there is none of that handle, or it has ended. */
export function findAgent(
  tx: Tx,
  organization: string,
  handle: string,
): Promise<{ handle: string; owner: string | null } | undefined> {
  return tx.one(sql`
    select handle, owner
    from members
    where organization = ${organization} and handle = ${handle} and kind = 'agent' and deactivated_at is null`);
}

/** Adds a room to every live token of an agent; it is the own one of those that have none. False when each had it. */
export async function grantRoomToAgent(tx: Tx, organization: string, agent: string, room: number): Promise<boolean> {
  const granted = await tx.run(sql`
    insert into token_rooms (organization, token, room)
    select t.organization, t.id, cast(${room} as bigint)
    from tokens t
    where t.organization = ${organization} and t.member = ${agent} and t.kind = 'agt' and ${isLive(tx)}
    on conflict (organization, token, room) do nothing`);
  await tx.run(sql`
    update tokens
    set default_room = ${room}
    where organization = ${organization} and member = ${agent} and kind = 'agt' and default_room is null
      and exists (
        select 1
        from token_rooms g
        where g.organization = tokens.organization and g.token = tokens.id and g.room = ${room})`);
  return granted > 0;
}

/** Takes a room from every token of an agent. False when none had it. */
export async function revokeRoomOfAgent(tx: Tx, organization: string, agent: string, room: number): Promise<boolean> {
  const ofAgent = sql`select t.id from tokens t where t.organization = ${organization} and t.member = ${agent}`;
  await tx.run(sql`
    update tokens
    set default_room = null
    where organization = ${organization} and member = ${agent} and default_room = ${room}`);
  const revoked = await tx.run(sql`
    delete from token_rooms
    where organization = ${organization} and room = ${room} and token in (${ofAgent})`);
  return revoked > 0;
}

/** The rooms that an agent's live tokens name, by name. */
export async function listRoomsOfAgent(tx: Tx, organization: string, agent: string): Promise<string[]> {
  const rows = await tx.all<{ name: string }>(sql`
    select distinct r.name
    from tokens t
    join token_rooms g on g.organization = t.organization and g.token = t.id
    join rooms r on r.organization = g.organization and r.id = g.room
    where t.organization = ${organization} and t.member = ${agent} and ${isLive(tx)}
    order by r.name`);
  return rows.map(({ name }) => name);
}
