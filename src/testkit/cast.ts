import { hashToken, makeSessionSecret, makeToken } from "../access/tokens.ts";
import { sql } from "../store/sql.ts";
import type { Store, Tx } from "../store/store.ts";

/** A member of the cast: what its token may do and where. */
export interface Role {
  readonly rooms: readonly string[];
  readonly readonly?: true;
  readonly admin?: true;
  readonly allRooms?: true;
}

/** A person of the cast, with what it may enter. Its password is `PASSWORD`, which it chose on a page. */
export interface Person {
  readonly role?: "admin";
  readonly rooms: readonly string[];
  /** Agents of its own, each with a token. */
  readonly agents?: Readonly<Record<string, Role>>;
}

/** Who of each organization is a person. Their tokens are like those that `login` gives. */
export const PEOPLE: Record<string, Record<string, Person>> = {
  main: {
    ann: {
      rooms: ["lobby"],
      agents: { annbot: { rooms: ["lobby"] }, annreader: { rooms: ["lobby"], readonly: true } },
    },
    ben: { rooms: ["lobby", "ops"], agents: { benbot: { rooms: ["lobby"] } } },
    cleo: { rooms: ["lobby"] },
    dora: { rooms: ["lobby"], role: "admin" },
  },
  other: {
    zoe: { rooms: ["lobby"], agents: { zoebot: { rooms: ["lobby"] } } },
    yuri: { rooms: ["lobby"], role: "admin" },
  },
};

export const PASSWORD = "correct horse battery";
/** Its hash, cheap enough for tests. */
const PASSWORD_HASH = "$argon2id$v=19$m=64,t=1,p=1$Y3Jld3Jvb21jYXN0c2FsdA$y8jcq4QBE+MAswd6l7RMFctcAl1l4zqInfWnuCy2G7c";

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

/** Puts the people and their agents beside the cast. Gives each one's token by handle. */
export async function seatPeople(store: Store): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  for (const [organization, people] of Object.entries(PEOPLE)) {
    await store.write(organization, async (tx) => {
      for (const [handle, person] of Object.entries(people)) {
        tokens.set(handle, await addPerson(tx, organization, handle, person));
        for (const [agent, role] of Object.entries(person.agents ?? {}))
          tokens.set(agent, await addMember(tx, organization, agent, role, handle));
      }
    });
  }
  return tokens;
}

/** Adds an agent, perhaps of a person, with a token and gives the token. */
export async function addMember(
  tx: Tx,
  organization: string,
  handle: string,
  role: Role,
  owner: string | null = null,
): Promise<string> {
  const token = makeToken("agt");
  const id = `tok_${handle}_${hashToken(token).slice(0, 8)}`;
  const rooms = await tx.all<{ id: number; name: string }>(sql`
    select id, name from rooms where organization = ${organization} and name in (${sql.list(role.rooms)})`);
  const first = rooms.find((room) => room.name === role.rooms[0])?.id ?? null;
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, owner, created_at)
    values (${organization}, ${handle}, 'agent', ${handle}, ${owner}, ${tx.now})
    on conflict do nothing`);
  await tx.run(sql`
    insert into tokens (organization, id, kind, member, hash, readonly, admin, all_rooms, default_room, created_at, created_by)
    values (${organization}, ${id}, 'agt', ${handle}, ${hashToken(token)}, ${role.readonly ? 1 : 0}, ${role.admin ? 1 : 0},
      ${role.allRooms ? 1 : 0}, ${first}, ${tx.now}, 'operator')`);
  for (const room of rooms) {
    await tx.run(sql`insert into token_rooms (organization, token, room) values (${organization}, ${id}, ${room.id})`);
  }
  return token;
}

/** Adds a person with a token like those of `login`, and gives the token. */
export async function addPerson(tx: Tx, organization: string, handle: string, person: Person): Promise<string> {
  const { role = "member", rooms } = person;
  await tx.run(sql`
    insert into members (organization, handle, kind, display_name, created_at)
    values (${organization}, ${handle}, 'person', ${handle}, ${tx.now})`);
  await tx.run(sql`
    insert into persons (organization, handle, role, password_hash, password_set_at)
    values (${organization}, ${handle}, ${role}, ${PASSWORD_HASH}, ${tx.now})`);
  await tx.run(sql`
    insert into person_rooms (organization, person, room)
    select organization, ${handle}, id from rooms where organization = ${organization} and name in (${sql.list(rooms)})`);
  return signInAs(tx, organization, handle, "usr");
}

/** Signs a person in: `usr` gives a token, `web` the secret of a browser's session. */
export async function signInAs(tx: Tx, organization: string, handle: string, kind: "usr" | "web"): Promise<string> {
  const secret = kind === "usr" ? makeToken("usr") : makeSessionSecret();
  const id = `${kind}_${handle}_${hashToken(secret).slice(0, 8)}`;
  await tx.run(sql`
    insert into tokens (organization, id, kind, member, hash, admin, created_at, created_by)
    values (${organization}, ${id}, ${kind}, ${handle}, ${hashToken(secret)}, 1, ${tx.now}, ${handle})`);
  return secret;
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
      values (${organization}, ${made.last_room}, ${name}, ${tx.now}, 'operator')`);
  }
}
