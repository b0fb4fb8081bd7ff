import { describe } from "vitest";
import { readSettings } from "../config.ts";
import type { NewEvent } from "../core/events.ts";
import { type EventQuery, listEvents } from "../core/event-log.ts";
import { type Hub, type HubParts, startHub } from "../hub.ts";
import { sql } from "../store/sql.ts";
import type { Clock } from "../store/store.ts";
import { type Actor, makeActor, makeBrowser } from "./actor.ts";
import { addMember, PEOPLE, type Role, seat, seatPeople, signInAs } from "./cast.ts";
import { makeDatabase, type StoreKind, TESTED_STORES } from "./databases.ts";

/** A real hub on a free port with the cast in it, and a clock that moves when told. */
export interface TestHub extends AsyncDisposable {
  readonly hub: Hub;
  readonly url: string;
  readonly kind: StoreKind;
  /** The settings by which a command of its own finds the same database. */
  readonly database: Readonly<Record<string, string>>;
  /** Calls as a member of the cast. */
  as(handle: string): Actor;
  /** The token of a member of the cast. */
  token(handle: string): string;
  /** Seats people and their agents beside the cast: ann, ben, cleo, dora (an administrator), annbot, …; see `PEOPLE`. */
  seatPeople(): Promise<void>;
  /** A person of the cast before a page of the hub, signed in there. */
  browser(handle: string): Promise<Actor>;
  /** Adds an agent to organization `main`, or another token for one. */
  add(handle: string, role: Role, organization?: string): Promise<Actor>;
  /** Moves the hub's and the database's clock. */
  later(time: { days?: number; hours?: number; minutes?: number; seconds?: number }): void;
  /** The kinds of what happened in a room of `main`, oldest first; without a room, of the organization. */
  eventsOf(room: string | null): Promise<NewEvent[]>;
  /** Stops the hub and leaves its database, for another one to start on. */
  stop(): Promise<void>;
  /** A digest of every table but last-seen times, to show that nothing was changed. */
  state(): Promise<string>;
}

export type StartTestHub = (
  settings?: Readonly<Record<string, string>>,
  parts?: Pick<HubParts, "outbound">,
) => Promise<TestHub>;

/** Says the same about each store: `body` gets how to start a hub on it. */
export function onEachStore(name: string, body: (start: StartTestHub, kind: StoreKind) => void): void {
  for (const kind of TESTED_STORES)
    describe(`${name} (${kind})`, () => body((settings, parts) => startTestHub(kind, settings, parts), kind));
}

/** Starts a hub of its own for one test; dispose of it with `await using`. */
export async function startTestHub(
  kind: StoreKind,
  given: Readonly<Record<string, string>> = {},
  parts: Pick<HubParts, "outbound"> = {},
): Promise<TestHub> {
  const database = await makeDatabase(kind);
  const clock: Clock = { offset: 0 };
  const settings = readSettings({
    PORT: "0",
    CREWROOM_LOG: "silent",
    CREWROOM_CALLS_PER_MINUTE: "0",
    CREWROOM_SECRET_KEY: "a secret of the tests, which is long enough",
    ...database.settings,
    ...given,
  });
  const hub = await startHub(settings, { ...parts, clock, checkAnswers: true, trustDatabase: true });
  const tokens = await seat(hub.store);
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= hub.close());

  function token(handle: string): string {
    const found = tokens.get(handle);
    if (!found) throw new Error(`${handle} is not in the cast.`);
    return found;
  }

  return {
    hub,
    url: hub.url,
    kind,
    database: database.settings,
    token,
    as: (handle) => makeActor(hub.url, handle, token(handle)),
    async seatPeople() {
      for (const [handle, secret] of await seatPeople(hub.store)) tokens.set(handle, secret);
    },
    async browser(handle) {
      const organization = Object.keys(PEOPLE).find((name) => PEOPLE[name]?.[handle]) ?? "main";
      const secret = await hub.store.write(organization, (tx) => signInAs(tx, organization, handle, "web"));
      return makeBrowser(hub.url, handle, secret);
    },
    async add(handle, role, organization = "main") {
      const secret = await hub.store.write(organization, (tx) => addMember(tx, organization, handle, role));
      tokens.set(handle, secret);
      return makeActor(hub.url, handle, secret);
    },
    later({ days = 0, hours = 0, minutes = 0, seconds = 0 }) {
      clock.offset += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
      hub.callers.forget();
    },
    eventsOf: (room) => eventsOf(hub, room),
    stop,
    state: () => digestOf(hub),
    async [Symbol.asyncDispose]() {
      await stop();
      await database.remove();
    },
  };
}

async function eventsOf(hub: Hub, room: string | null): Promise<NewEvent[]> {
  return hub.store.read(async (tx) => {
    const row = await tx.one<{ id: number }>(sql`select id from rooms where organization = 'main' and name = ${room}`);
    const query: EventQuery = { organization: "main", room: row?.id ?? null, limit: 10_000 };
    const events = await listEvents(tx, query);
    return events.map(({ kind, actor, task, message, file, detail, concerns }) => ({
      kind,
      actor,
      ...(task !== null && { task }),
      ...(message !== null && { message }),
      ...(file !== null && { file }),
      detail,
      concerns,
    }));
  });
}

const TABLES = [
  "organizations",
  "logs",
  "members",
  "persons",
  "rooms",
  "token_rooms",
  "events",
  "messages",
  "mentions",
  "receipts",
  "tasks",
  "task_labels",
  "dependencies",
  "notes",
  "files",
  "file_parts",
  "task_files",
  "message_files",
  "idempotency",
  "person_rooms",
  "invitations",
  "passkeys",
  "questions",
  "drafts",
  "approvals",
  "personal_events",
  "question_receipts",
  "oauth_records",
  "hooks",
  "notices",
];

async function digestOf(hub: Hub): Promise<string> {
  return hub.store.read(async (tx) => {
    const tables: string[] = [];
    for (const table of TABLES) {
      const rows = await tx.all<object>({ texts: [`select * from ${table}`], values: [] });
      tables.push(
        `${table}: ${rows
          .map((row) => JSON.stringify({ ...row, last_problem: undefined })) // what a bridge meets, it meets at any moment
          .sort()
          .join("\n")}`,
      );
    }
    const tokens = await tx.all<object>(
      sql`select id, member, hash, readonly, admin, all_rooms, expires_at, revoked_at from tokens order by id`,
    );
    return [...tables, JSON.stringify(tokens)].join("\n\n");
  });
}
