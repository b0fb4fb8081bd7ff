import type { Role } from "../core/operation.ts";
import { flagsOf, type Scope, SCOPES, USUAL_SCOPES } from "./oauth/scopes.ts";
import type { TokenRow } from "./queries.ts";

type Granting = Pick<TokenRow, "kind" | "readonly" | "admin" | "all_rooms" | "owner" | "person_role" | "exposed_at">;

/** What a credential may do. A read-only one changes nothing, whatever other flags it has. */
export function rolesOf(credential: Granting): ReadonlySet<Role> {
  return new Set(credential.person_role === null ? agentRoles(credential) : personRoles(credential));
}

/** The fewest scopes that would give a client's grant this role; undefined when none would, and for other credentials. */
export function scopesGiving(role: Role, credential: Granting): readonly Scope[] | undefined {
  if (credential.kind !== "oat") return undefined;
  return [USUAL_SCOPES, SCOPES].find((scopes) => rolesOf({ ...credential, ...flagsOf(scopes) }).has(role));
}

function agentRoles({ readonly, admin, all_rooms, owner }: Granting): Role[] {
  const owned = owner !== null;
  if (readonly) return ["read", ...when(owned, "person_read")];
  const whole = admin === 1 && all_rooms === 1;
  return [
    "read",
    "write",
    ...when(admin === 1, "admin"),
    ...when(whole, "organization_admin", "mint", "invite"),
    ...when(owned, "person_read", "person_write"),
  ];
}

/** An administrator's sign-in administers where it was asked to: a browser's and a login's always, a grant with that scope. */
function personRoles({ kind, readonly, admin, person_role, exposed_at }: Granting): Role[] {
  if (readonly) return ["read", "person_read"];
  const administers = admin === 1 && person_role === "admin";
  return [
    "read",
    "write",
    "person_read",
    "person_write",
    "self",
    ...when(administers, "admin", "organization_admin"),
    // What an agent was granted in a browser must end with that grant: it makes no tokens and no people.
    ...when(kind !== "oat" || administers, "mint", "invite"),
    ...when(kind === "web", "browser"),
    // Who knows an administrator's password could sign in here as well, until another one is chosen.
    ...when(kind === "web" && administers && exposed_at === null, "set_passwords"),
  ];
}

function when(holds: boolean, ...roles: Role[]): Role[] {
  return holds ? roles : [];
}
