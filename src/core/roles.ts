import { fail } from "./errors.ts";
import type { Caller, Need, Role } from "./operation.ts";

/** The handle of a caller without a credential; no member can have it. */
export const NOBODY = "-";

/** A caller without a credential. */
export function nobody(address: string): Caller {
  return {
    organization: "",
    handle: NOBODY,
    person: undefined,
    credential: `anyone:${address}`,
    roles: new Set(),
    allRooms: false,
    rooms: new Map(),
    defaultRoom: undefined,
    session: "-",
    path: "tool",
    address,
  };
}

const ROLE_NAMES: Record<Role, string> = {
  read: "a token",
  write: "a token that is not read-only",
  admin: "an admin token",
  organization_admin: "an organization administrator (a token with admin and all rooms, or such a person)",
  person_read: "a person, or an agent that a person owns",
  person_write: "a person, or an agent that a person owns, and not read-only",
  self: "the person's own sign-in; an agent's token is not enough",
  browser: "the person's own browser, signed in on this hub's page: no token of any kind approves",
  own_machine: "a browser on the hub's own machine",
  mint: "a person, or an organization administrator",
  invite: "a person, or an organization administrator",
  set_passwords:
    "an administrator's own browser, signed in on this hub's page; or, in a shell: crewroom person password",
  sign_up: "an open sign-up",
  guest: "no credential, where sign-in by tools is on",
};

/** @throws HubError `not_allowed`, `scope_missing` */
export function refuseRole(caller: Caller, role: Need) {
  if (role === "anyone" || caller.roles.has(role)) return;
  refuseMissingScope(caller, role);
  throw fail("not_allowed", { needs: ROLE_NAMES[role] });
}

/** @throws HubError `scope_missing` where its person could let the caller do it */
export function refuseMissingScope({ roles, scopesFor }: Caller, role: Need) {
  const scopes = role === "anyone" || roles.has(role) ? undefined : scopesFor?.(role);
  if (scopes) throw fail("scope_missing", { scopes });
}
