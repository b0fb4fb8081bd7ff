import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import type { Foreign } from "../../store/foreign.ts";
import { type Store, StoreSetupError } from "../../store/store.ts";
import { makeOrganization } from "../organizations/make-organization.ts";
import { importNeeds, importPlaces } from "./chatroom-links.ts";
import { importAgents, importRooms, importTokens } from "./chatroom-members.ts";
import { importTimeline } from "./chatroom-timeline.ts";
import { openLedger } from "./ledger.ts";
import type { ImportScope } from "./queries.ts";
import { emptyReport, type Report } from "./report.ts";

const TABLES = ["rooms", "tokens", "tasks", "notes", "events", "messages"] as const;
const KINDS = ["room", "agent", "token", "task", "note", "message", "file", "event", "needs"] as const;

/**
 * Brings a database of ChatRoomMCP over into one organization, which is made if it is not there: rooms with their information,
 * agents with tokens that go on working, tasks, notes, messages, files and what the log told, in the order of time. What an
 * earlier run brought is left alone, so it may be run again after a failure, or when more was written there.
 *
 * @throws StoreSetupError when the database is another one.
 */
export async function importChatroom(store: Store, foreign: Foreign, scope: ImportScope): Promise<Report> {
  for (const table of TABLES) {
    if ((await foreign.columns(table)).length === 0)
      throw new StoreSetupError(`That is no database of ChatRoomMCP: it has no table ${table}.`);
  }
  // Crewroom's own tables have the same names.
  if (!(await foreign.columns("rooms")).includes("created_ts"))
    throw new StoreSetupError("That is no database of ChatRoomMCP: its rooms have no created_ts.");
  const report = emptyReport("chatroom", scope.source);
  const { organization } = scope;
  await store.write(organization, (tx) =>
    makeOrganization(tx, { id: organization, name: organization, by: OPERATOR_AUTHOR }),
  );
  report.organizations.push(organization);
  const ledger = await openLedger(store, scope, KINDS, report);
  const bringing = { store, foreign, ledger, report };
  await importRooms(bringing);
  await importAgents(bringing);
  await importTokens(bringing);
  await importTimeline(bringing);
  await importNeeds(bringing);
  await importPlaces(bringing);
  return report;
}
