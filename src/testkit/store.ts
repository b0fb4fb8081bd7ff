import { appendEvents, listEvents } from "../core/event-log.ts";
import { makeOrganization } from "../features/organizations/make-organization.ts";
import { openPostgres } from "../store/postgres.ts";
import { openSqlite } from "../store/sqlite.ts";
import type { Store, Tx } from "../store/store.ts";
import { makeDatabase, type StoreKind, type TestDatabase } from "./databases.ts";

/** Opens a test's database as a store. */
export async function openStoreAt(kind: StoreKind, settings: TestDatabase["settings"]) {
  const { CREWROOM_DB: path = "", DATABASE_URL: url = "" } = settings;
  const store = await (kind === "sqlite" ? openSqlite({ path }) : openPostgres({ url, trustServer: true }));
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

/** A store of its own with organization `main`; `another` opens the same database once more. */
export async function openTestStore(kind: StoreKind) {
  const database = await makeDatabase(kind);
  const openOne = async () => (await openStoreAt(kind, database.settings)).store;
  const store = await openOne();
  await store.write("main", (tx) => makeOrganization(tx, { id: "main", name: "Main", by: "crewroom" }));
  const others: Store[] = [];
  return {
    store,
    async another() {
      const other = await openOne();
      others.push(other);
      return other;
    },
    async [Symbol.asyncDispose]() {
      for (const one of [...others, store]) await one.close();
      await database.remove();
    },
  };
}

/** Tells of a message in the first room. */
export const emit = async (tx: Tx, detail: string) =>
  appendEvents(tx, "main", "box1", [{ kind: "message", room: 1, detail }]);
export const eventsIn = (store: Store) =>
  store.read((tx) => listEvents(tx, { organization: "main", room: 1, after: 2, limit: 1_000 }));
export const detailsOf = (store: Store) => eventsIn(store).then((events) => events.map((event) => event.detail));
