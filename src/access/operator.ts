import { fail } from "../core/errors.ts";
import type { Caller, Role } from "../core/operation.ts";
import type { Store } from "../store/store.ts";
import { hasOrganization, listAllRooms } from "./queries.ts";

/** Reserved, so that no member can have it. `admin` is not: it is the person that signing an organization up makes. */
export const OPERATOR = "operator";
/** How the operator's acts stand in the log. */
export const OPERATOR_AUTHOR = { handle: OPERATOR, credential: "operator", address: "shell" } as const;
const EVERYTHING: readonly Role[] = [
  "read",
  "write",
  "admin",
  "organization_admin",
  "mint",
  "invite",
  "set_passwords",
  "sign_up",
];

/**
 * Whoever has a shell on the server: every role and every room of one organization. No token stands for it.
 *
 * @throws HubError `organization_not_found`
 */
export async function operatorCaller(store: Store, organization: string): Promise<Caller> {
  return store.read(async (tx) => {
    if (!(await hasOrganization(tx, organization))) throw fail("organization_not_found", { organization });
    const rooms = await listAllRooms(tx, organization);
    return {
      organization,
      ...OPERATOR_AUTHOR,
      person: undefined,
      roles: new Set(EVERYTHING),
      allRooms: true,
      rooms: new Map(rooms.map((room) => [room.name, room])),
      defaultRoom: rooms[0],
      session: "-",
      path: "tool",
    };
  });
}
