import { fail } from "../core/errors.ts";
import type { Caller, Role, RoomRef } from "../core/operation.ts";
import { isWellFormedToken } from "../core/secrets.ts";
import type { Store, Tx } from "../store/store.ts";
import { type BeforePresence, openPresence, type Origin } from "./presence.ts";
import { findLiveToken, listGrantedRooms, listLiveTokens, type TokenRow } from "./queries.ts";
import { hashToken } from "./tokens.ts";

/** How long (ms) a look-up is believed: a token revoked through another process stops within this. P9 allows two seconds. */
const BELIEVED = 1_000;
/** Look-ups kept at most; the oldest goes first. */
const MOST_KEPT = 10_000;
export interface Callers {
  /**
   * The caller that a bearer token stands for.
   *
   * @throws HubError `not_signed_in`, with the same words for unknown, revoked and expired.
   */
  byToken(token: string, origin: Origin): Promise<Caller>;
  /** Drops what is believed about an organization, after something in it changed who may see what. */
  forget(organization?: string): void;
  /** Which of these no longer hold. */
  ended(callers: readonly Caller[]): Promise<ReadonlySet<string>>;
}

interface Known {
  readonly token: TokenRow;
  readonly rooms: ReadonlyMap<string, RoomRef>;
  readonly roles: ReadonlySet<Role>;
  readonly until: number;
}

/** Finds out who is calling, with a short memory. `now` is a monotonic clock in ms. */
export function openCallers(
  store: Store,
  now: () => number = performance.now.bind(performance),
  beforePresence: BeforePresence = async () => undefined,
): Callers {
  const known = new Map<string, Known>();
  const presence = openPresence(store, now, beforePresence);

  async function lookUp(hash: string): Promise<Known | undefined> {
    const remembered = known.get(hash);
    if (remembered && remembered.until > now()) return remembered;
    known.delete(hash);
    const found = await store.read((tx) => find(tx, hash));
    if (!found) return undefined;
    if (known.size >= MOST_KEPT) for (const oldest of known.keys()) if (known.delete(oldest)) break;
    const fresh = { ...found, until: now() + BELIEVED };
    known.set(hash, fresh);
    return fresh;
  }

  async function byToken(token: string, origin: Origin): Promise<Caller> {
    const entry = isWellFormedToken(token) ? await lookUp(hashToken(token)) : undefined;
    if (!entry) throw fail("not_signed_in", { problem: hintFor(token) });
    await presence.note(entry.token, origin);
    return toCaller(entry, origin.session);
  }

  return {
    byToken,
    forget(organization) {
      for (const [hash, entry] of known)
        if (!organization || entry.token.organization === organization) known.delete(hash);
    },
    async ended(callers) {
      const byOrganization = Map.groupBy(callers, (caller) => caller.organization);
      const ended = new Set(callers.map((caller) => caller.credential));
      for (const [organization, group] of byOrganization) {
        const ids = group.map((caller) => caller.credential);
        for (const live of await store.read((tx) => listLiveTokens(tx, organization, ids))) ended.delete(live);
      }
      return ended;
    },
  };
}

async function find(tx: Tx, hash: string) {
  const token = await findLiveToken(tx, hash);
  if (!token) return undefined;
  const rooms = new Map(
    (await listGrantedRooms(tx, token)).map((room) => [room.name, { id: room.id, name: room.name }]),
  );
  return { token, rooms, roles: rolesOf(token) };
}

/** A read-only token changes nothing, whatever other flags it has. */
export function rolesOf(token: Pick<TokenRow, "readonly" | "admin" | "all_rooms">): ReadonlySet<Role> {
  if (token.readonly) return new Set<Role>(["read"]);
  const admin: Role[] = token.admin ? ["admin"] : [];
  const whole: Role[] = token.admin && token.all_rooms ? ["organization_admin"] : [];
  return new Set<Role>(["read", "write", ...admin, ...whole]);
}

function toCaller({ token, rooms, roles }: Known, session: string): Caller {
  const defaultRoom = [...rooms.values()].find((room) => room.id === token.default_room);
  const { organization, member, id } = token;
  return {
    organization,
    handle: member,
    credential: id,
    roles,
    allRooms: token.all_rooms === 1,
    rooms,
    defaultRoom,
    session,
  };
}

/** Real clients send an unset variable as it stands; the hint names that cause without repeating the token. */
function hintFor(token: string): string {
  if (token === "") return "The bearer token is empty";
  if (token.includes("${") || token.startsWith("$"))
    return "The bearer token is the name of a variable that was not set";
  return "The token is unknown, revoked or expired";
}
