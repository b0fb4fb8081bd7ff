import { listRoomsOfPerson } from "../../access/queries.ts";
import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { Caller, Context, RoomRef } from "../../core/operation.ts";
import type { Tx } from "../../store/store.ts";
import { findProfile } from "../people/profile-queries.ts";
import { countOwned, listRoomsNamed } from "./queries.ts";

interface Asked {
  readonly owner?: string | undefined;
  readonly admin: boolean;
  readonly all_rooms: boolean;
}

/** Whose agents' tokens a caller may see and end: an administrator everybody's (undefined), a person its own. */
export function ownerScope(caller: Caller): string | undefined {
  return administers(caller) ? undefined : caller.handle;
}

/**
 * Whose the agent is that a token is made for; undefined: whoever's it is already.
 *
 * @throws HubError `not_allowed` for what a person cannot give its own agent; `person_not_found`.
 */
export async function ownerOf(
  { tx, caller }: Context,
  { owner, admin, all_rooms }: Asked,
): Promise<string | undefined> {
  if (!administers(caller)) {
    if (admin || all_rooms || (owner ?? caller.handle) !== caller.handle) throw fail("not_allowed", { needs: MORE });
    return caller.handle;
  }
  if (owner !== undefined && !(await findProfile(tx, caller.organization, owner)))
    throw fail("person_not_found", { user_id: owner });
  return owner;
}
const MORE = "an organization administrator; a person mints for agents of its own, never with admin or all_rooms";

/** The rooms of these names that a caller may give an agent: every one, or those that the person may enter at this moment. */
export async function listGrantable(tx: Tx, caller: Caller, names: readonly string[]): Promise<RoomRef[]> {
  if (administers(caller)) return listRoomsNamed(tx, caller.organization, names);
  return (await listRoomsOfPerson(tx, caller.organization, caller.handle)).filter(({ name }) => names.includes(name));
}

/** @throws HubError `too_many` once a person's own agents, or their tokens, are more than anybody needs. */
export async function refuseTooMany({ tx, caller }: Context): Promise<void> {
  if (administers(caller)) return;
  const { agents, tokens } = await countOwned(tx, caller.organization, caller.handle);
  const { agentsPerPerson, tokensPerPerson } = LIMITS;
  if (agents > agentsPerPerson) throw fail("too_many", { what: "agents of one person", most: agentsPerPerson });
  if (tokens >= tokensPerPerson)
    throw fail("too_many", { what: "live tokens of one person's agents", most: tokensPerPerson });
}

function administers(caller: Caller): boolean {
  return caller.roles.has("organization_admin");
}
