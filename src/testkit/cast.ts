import { hashToken, makeToken } from "../access/tokens.ts";
import { sql } from "../store/sql.ts";
import type { Store, Tx } from "../store/store.ts";

/** A member of the cast: what its token may do and where. */
export interface Role {
  readonly rooms: readonly string[];
  readonly readonly?: true;
  readonly admin?: true;
  readonly allRooms?: true;
}

/** Who is there when a test begins: two organizations, each with rooms lobby and ops. */
export const CAST: Record<string, Record<string, Role>> = {
  main: {
    box1: { rooms: ["lobby", "ops"] },
    box2: { rooms: ["lobby"] },
    box3: { rooms: ["lobby"] },
    watcher: { rooms: ["lobby"], readonly: true },
    chief: { rooms: ["lobby"], admin: true },
    opsbox: { rooms: ["ops"] },
    roamer: { rooms: ["lobby"], allRooms: true },
    boss: { rooms: ["lobby"], admin: true, allRooms: true },
  },
  other: {
    stranger: { rooms: ["lobby"] },
    ruler: { rooms: ["lobby"], admin: true, allRooms: true },
  },
};

/** Puts the cast into a store. Gives each member's token by `handle`; handles differ between the organizations. */
export async function seat(store: Store): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const [organization, members] of Object.entries(CAST)) {
    await store.write(organization, async (tx) => {
      await makeRooms(tx, organization);
      for (const [handle, role] of Object.entries(members))
        tokens.set(handle, await addMember(tx, organization, handle, role));
    });
  }
  return tokens;
}

/** Adds an agent with a token and gives the token. */
export async function addMember(tx: Tx, organization: string, handle: string, role: Role): Promise<string> {
  const token = makeToken("agt");
  const id = `tok_${handle}_${hashToken(token).slice(0, 8)}`;
  const rooms = await tx.all<{ id: number; name: string }>(sql`
    select id, name from rooms where organization = ${organization} and name in (${sql.list(role.rooms)})`);
  const first = rooms.find((room) => room.name === role.rooms[0])?.id ?? null;
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at)
    values (${organization}, ${handle}, 'agent', ${handle}, ${tx.now})
    on conflict do nothing`);
  await tx.run(sql`
    insert into tokens (organization, id, kind, member, hash, readonly, admin, all_rooms, default_room, created_at, created_by)
    values (${organization}, ${id}, 'agt', ${handle}, ${hashToken(token)}, ${role.readonly ? 1 : 0}, ${role.admin ? 1 : 0},
      ${role.allRooms ? 1 : 0}, ${first}, ${tx.now}, 'admin')`);
  for (const room of rooms) {
    await tx.run(sql`insert into token_rooms (organization, token, room) values (${organization}, ${id}, ${room.id})`);
  }
  return token;
}

async function makeRooms(tx: Tx, organization: string) {
  await tx.run(sql`
    insert into organizations (id, name, created_at)
    values (${organization}, ${organization}, ${tx.now})
    on conflict do nothing`);
  await tx.run(sql`
    insert into logs (organization, epoch, position, last_room)
    values (${organization}, 'testepoch000', 0, 0)
    on conflict do nothing`);
  for (const name of ["lobby", "ops"]) {
    const made = await tx.one<{ last_room: number }>(sql`
      update logs
      set last_room = last_room + 1
      where organization = ${organization}
        and not exists (select 1 from rooms where organization = ${organization} and name = ${name})
      returning last_room`);
    if (!made) continue;
    await tx.run(sql`
      insert into rooms (organization, id, name, created_at, created_by)
      values (${organization}, ${made.last_room}, ${name}, ${tx.now}, 'admin')`);
  }
}
