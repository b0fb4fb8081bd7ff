import { fail, type HubError } from "../core/errors.ts";
import type { FindEnded, Followed } from "../core/feed.ts";
import type { Caller, Role, RoomRef } from "../core/operation.ts";
import { isFormerToken, isWellFormedToken } from "../core/secrets.ts";
import type { Store, Tx } from "../store/store.ts";
import { type BeforePresence, openPresence, type Origin, type Path } from "./presence.ts";
import {
  entersAllRooms,
  findGrantHash,
  findLiveToken,
  hasImports,
  listGrantedRooms,
  listLiveGrants,
  type TokenRow,
} from "./queries.ts";
import { rolesOf, scopesGiving } from "./roles.ts";
import { type CredentialKind, hashToken, SESSION_SECRET } from "./tokens.ts";

/** How long (ms) a look-up is believed: a token revoked through another process stops within this. P9 allows two seconds. */
const BELIEVED = 1_000;
/** Look-ups kept at most; the oldest goes first. */
const MOST_KEPT = 10_000;
const TOKENS: readonly CredentialKind[] = ["agt", "usr", "oat"];

export interface Callers {
  /**
   * The caller that a bearer token stands for.
   *
   * @throws HubError `not_signed_in`, with the same words for unknown, revoked and expired.
   */
  byToken(token: string, origin: Origin): Promise<Caller>;
  /**
   * The person whose browser holds this session's secret; see `makeSessionSecret`.
   *
   * @throws HubError `not_signed_in`
   */
  bySession(secret: string, origin: Origin): Promise<Caller>;
  /**
   * Who speaks by an inbound hook: its token is good at that hook's address alone.
   *
   * @throws HubError `not_signed_in`
   */
  byHook(token: string, hook: string, origin: Origin): Promise<Caller>;
  /** Notes that a session of a caller's member was there by a path that proves itself. */
  readonly prove: (caller: Caller, session: string, path: Path) => Promise<void>;
  /** Drops what is believed about an organization, after something in it changed who may see what. */
  forget(organization?: string): void;
  /** Which of this may be followed no longer, and why. */
  readonly findEnded: FindEnded;
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

  /** By the hash of a secret, if it is of one of these kinds: what a browser holds is no token, and the other way round. */
  async function sign(secret: string, kinds: readonly CredentialKind[], origin: Origin): Promise<Caller | undefined> {
    const entry = await lookUp(hashToken(secret));
    if (!entry || !kinds.includes(entry.token.kind)) return undefined;
    await presence.note(entry.token, origin);
    return toCaller(entry, origin);
  }

  const isImported = openImports(store, now);
  return {
    async byToken(token, origin) {
      const isOne = isWellFormedToken(token) || (await isImported(token));
      const caller = isOne ? await sign(token, TOKENS, origin) : undefined;
      if (!caller) throw fail("not_signed_in", { problem: hintFor(token) });
      return caller;
    },
    async bySession(secret, origin) {
      const caller = SESSION_SECRET.test(secret) ? await sign(secret, ["web"], origin) : undefined;
      if (!caller) throw fail("not_signed_in", { problem: "The session in this browser has ended" });
      return caller;
    },
    async byHook(token, hook, origin) {
      const caller = isWellFormedToken(token) ? await sign(token, ["hok"], { ...origin, path: null }) : undefined;
      if (caller?.credential !== hook) throw fail("not_signed_in", { problem: "That is not this webhook's token" });
      return caller;
    },
    prove: presence.prove,
    forget(organization) {
      for (const [hash, entry] of known)
        if (!organization || entry.token.organization === organization) known.delete(hash);
    },
    findEnded: (followed) => findEnded(store, followed),
  };
}

/** Whether a text may be a token that was imported. Before anything was, what looks like one costs no look-up. */
function openImports(store: Store, now: () => number): (token: string) => Promise<boolean> {
  let any = false;
  let until = 0;
  return async (token) => {
    if (!isFormerToken(token)) return false;
    if (!any && until <= now()) {
      any = await store.read(hasImports);
      until = now() + BELIEVED;
    }
    return any;
  };
}

async function findEnded(store: Store, followed: Iterable<Followed>): Promise<Map<Followed, HubError>> {
  const ended = new Map<Followed, HubError>();
  for (const [organization, group] of Map.groupBy(followed, ({ caller }) => caller.organization)) {
    const credentials = [...new Set(group.map(({ caller }) => caller.credential))];
    const live = await store.read((tx) => listLiveGrants(tx, organization, credentials));
    for (const one of group) {
      const trouble = troubleOf(one, live.get(one.caller.credential));
      if (trouble) ended.set(one, trouble);
    }
  }
  return ended;
}

async function find(tx: Tx, hash: string) {
  const token = (await findLiveToken(tx, hash)) ?? (await findGrant(tx, hash));
  if (!token) return undefined;
  const rooms = new Map((await listGrantedRooms(tx, token)).map((room) => [room.name, room]));
  return { token, rooms, roles: rolesOf(token) };
}

/** Why something may be followed no longer. `rooms`: what the credential grants now; undefined once it has ended. */
function troubleOf({ caller, room }: Followed, rooms: ReadonlySet<number> | undefined): HubError | undefined {
  if (!rooms) return fail("not_signed_in", { problem: "The token has ended" });
  if (room === undefined || caller.allRooms || rooms.has(room.id)) return undefined;
  const left = [...caller.rooms.values()].filter(({ id }) => rooms.has(id)).map(({ name }) => name);
  return fail("room_not_granted", { room: room.name, rooms: left });
}

/** An access token of the authorization server stands for the grant that it was made under. */
async function findGrant(tx: Tx, hash: string): Promise<TokenRow | undefined> {
  const grant = await findGrantHash(tx, hash);
  return grant === undefined ? undefined : findLiveToken(tx, grant);
}

function toCaller({ token, rooms, roles }: Known, { session, address, path }: Origin): Caller {
  const defaultRoom = defaultRoomOf(token, rooms);
  const { organization, member, id } = token;
  return {
    organization,
    handle: member,
    person: token.person_role === null ? (token.owner ?? undefined) : member,
    credential: id,
    roles,
    allRooms: entersAllRooms(token),
    rooms,
    defaultRoom,
    session,
    path: path ?? "tool",
    address,
    ...(token.kind === "oat" && { scopesFor: (role: Role) => scopesGiving(role, token) }),
  };
}

/** A token says which room is its own; a person's is the oldest one it may enter. */
function defaultRoomOf({ default_room, person_role }: TokenRow, rooms: Known["rooms"]): RoomRef | undefined {
  const refs = [...rooms.values()];
  if (person_role === null) return refs.find((room) => room.id === default_room);
  return refs.reduce<RoomRef | undefined>((oldest, room) => (oldest && oldest.id < room.id ? oldest : room), undefined);
}

/** Real clients send an unset variable as it stands; the hint names that cause without repeating the token. */
function hintFor(token: string): string {
  if (token === "") return "The bearer token is empty";
  if (token.includes("${") || token.startsWith("$"))
    return "The bearer token is the name of a variable that was not set";
  return "The token is unknown, revoked or expired";
}
