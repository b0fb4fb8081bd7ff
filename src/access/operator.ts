import { fail } from "../core/errors.ts";
import type { Caller, Role } from "../core/operation.ts";
import { sql } from "../store/sql.ts";
import type { Store } from "../store/store.ts";

/** Reserved, so that no member can have it. */
export const OPERATOR = "admin";
const EVERYTHING: readonly Role[] = ["read", "write", "admin", "organization_admin"];

/**
 * Whoever has a shell on the server: every role and every room of one organization. No token stands for it.
 *
 * @throws HubError `organization_not_found`
 */
export async function operatorCaller(store: Store, organization: string): Promise<Caller> {
  return store.read(async (tx) => {
    const found = await tx.one(sql`select id from organizations where id = ${organization}`);
    if (!found) throw fail("organization_not_found", { organization });
    const rooms = await tx.all<{ id: number; name: string }>(sql`
      select id, name
      from rooms
      where organization = ${organization}
      order by id`);
    return {
      organization,
      handle: OPERATOR,
      credential: "operator",
      roles: new Set(EVERYTHING),
      allRooms: true,
      rooms: new Map(rooms.map((room) => [room.name, room])),
      defaultRoom: rooms[0],
      session: "-",
    };
  });
}
