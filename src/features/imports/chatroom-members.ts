import { ulid } from "ulid";
import { OPERATOR_AUTHOR } from "../../access/operator.ts";
import { appendEvents, HUB } from "../../core/event-log.ts";
import type { Foreign, ForeignRow } from "../../store/foreign.ts";
import type { Store, Tx } from "../../store/store.ts";
import { isHandleTaken } from "../people/member-queries.ts";
import { insertRoom } from "../rooms/queries.ts";
import { isSet, listIn, momentIn, numberOrNull, textOf, textOrNull } from "./fields.ts";
import { inOneCommit, type Ledger } from "./ledger.ts";
import { nearestFree } from "./names.ts";
import { findRoomUse, insertAgent, insertFormerToken, setRoomFacts } from "./queries.ts";
import { count, note, type Report } from "./report.ts";

/** What every step of an import is given. */
export interface Bringing {
  readonly store: Store;
  readonly foreign: Foreign;
  readonly ledger: Ledger;
  readonly report: Report;
}

/** The name under which the original's server writes messages of its own. */
const THEIR_SERVER = "chatroom-server";

/** Every room that anything names, whether the original has a row for it or not. */
export async function importRooms({ store, foreign, ledger, report }: Bringing): Promise<void> {
  const facts = new Map<string, ForeignRow>();
  for await (const row of foreign.rows("rooms", ["name"])) facts.set(textOf(row, "name"), row);
  const names = new Set(facts.keys());
  for (const table of ["tasks", "messages", "files"])
    for (const name of await foreign.values(table, "room")) names.add(name);
  for await (const row of foreign.rows("tokens", ["created_ts"])) for (const name of roomsOf(row)) names.add(name);
  for (const name of names) {
    if (ledger.find("room", name)) count(report, "room", "already");
    else await inOneCommit(store, ledger, (tx) => importRoom(tx, { ledger, report }, name, facts.get(name)));
  }
}

type Books = Pick<Bringing, "ledger" | "report">;

async function importRoom(tx: Tx, { ledger, report }: Books, old: string, row: ForeignRow | undefined) {
  const { organization } = ledger.scope;
  const there = await findRoomUse(tx, organization, old);
  // A room of that name in which nothing is yet, such as the first one, is as good as none.
  const name =
    there?.used === 0
      ? old
      : await nearestFree(old, "room", async (one) => (await findRoomUse(tx, organization, one)) !== undefined);
  const made =
    there?.used === 0
      ? { id: there.id }
      : await insertRoom(tx, { organization, name, createdBy: OPERATOR_AUTHOR.handle });
  if (!made) throw new Error(`Room ${name} was free a moment ago.`);
  const repoUrl = row ? textOf(row, "repo_url") : "";
  const isUsual = /^(https?|ssh):\/\/\S+$/.test(repoUrl);
  await setRoomFacts(tx, organization, made.id, {
    description: row ? textOf(row, "description") : "",
    repo_url: isUsual ? repoUrl : "",
    onboarding_notes: row ? textOf(row, "onboarding_notes") : "",
    retention_days: (row && numberOrNull(row, "retention_days")) || null,
    created_at: (row && momentIn(row, "created_ts")) ?? tx.now,
  });
  appendEvents(tx, organization, OPERATOR_AUTHOR, [
    ...(there ? [] : [{ kind: "room_created", detail: name } as const]),
    { kind: "room_info_updated", room: made.id, detail: `imported from ${ledger.scope.source}` },
  ]);
  await ledger.add(tx, "room", { old, room: made.id, new: name }, () => {
    if (name !== old) report.renamed.push({ organization, kind: "room", old, new: name });
    if (repoUrl !== "" && !isUsual)
      note(report, `room ${name}: the repository address ${repoUrl} is none that is kept here`);
  });
}

function roomsOf(row: ForeignRow): string[] {
  return [...new Set([textOf(row, "default_room"), ...listIn(row, "allowed_rooms")])].filter((name) => name !== "");
}

/** Whoever has a token, or ever wrote anything. */
export async function importAgents({ store, foreign, ledger, report }: Bringing): Promise<void> {
  const names = new Set<string>();
  const places = [
    ["tokens", "agent_name"],
    ["tasks", "created_by"],
    ["tasks", "assignee"],
    ["notes", "author"],
    ["messages", "author"],
    ["files", "author"],
    ["events", "actor"],
  ] as const;
  for (const [table, column] of places) for (const name of await foreign.values(table, column)) names.add(name);
  names.delete(THEIR_SERVER);
  names.delete("");
  for (const name of names) {
    if (ledger.find("agent", name)) count(report, "agent", "already");
    else await inOneCommit(store, ledger, (tx) => importAgent(tx, { ledger, report }, name));
  }
}

async function importAgent(tx: Tx, { ledger, report }: Books, old: string) {
  const { organization } = ledger.scope;
  const handle = await nearestFree(old, "agent", (name) => isHandleTaken(tx, organization, name));
  await insertAgent(tx, organization, handle, old, tx.now);
  appendEvents(tx, organization, OPERATOR_AUTHOR, [{ kind: "member_added", detail: handle, concerns: [handle] }]);
  await ledger.add(tx, "agent", { old, room: null, new: handle }, () => {
    if (handle !== old) report.renamed.push({ organization, kind: "agent", old, new: handle });
  });
}

/** Who somebody of there is here; its server is our hub. */
export function handleOf(ledger: Ledger, name: string): string {
  return ledger.find("agent", name)?.new ?? HUB;
}

/** Tokens by their hashes: their secrets go on working. Revoked ones stay revoked. */
export async function importTokens({ store, foreign, ledger, report }: Bringing): Promise<void> {
  for await (const row of foreign.rows("tokens", ["created_ts", "token_hash"])) {
    const old = textOf(row, "token_hash");
    if (ledger.find("token", old)) count(report, "token", "already");
    else await inOneCommit(store, ledger, (tx) => importToken(tx, { ledger, report }, row));
  }
}

async function importToken(tx: Tx, { ledger, report }: Books, row: ForeignRow) {
  const { organization } = ledger.scope;
  const hash = textOf(row, "token_hash");
  const member = handleOf(ledger, textOf(row, "agent_name"));
  const created_at = momentIn(row, "created_ts") ?? tx.now;
  const rooms = roomsOf(row).flatMap((name) => ledger.find("room", name)?.room ?? []);
  const id = ulid(tx.now).toLowerCase();
  const revoked_at = isSet(row, "revoked") ? (momentIn(row, "revoked_ts") ?? created_at) : null;
  const made = await insertFormerToken(tx, {
    organization,
    id,
    kind: "agt",
    member,
    hash,
    readonly: isSet(row, "readonly"),
    admin: isSet(row, "admin"),
    all_rooms: isSet(row, "all_rooms"),
    rooms,
    created_at,
    expires_at: null,
    revoked_at,
    last_seen_at: textOrNull(row, "last_seen") === null ? null : (momentIn(row, "last_seen") ?? null),
  });
  if (!made) return note(report, `a token of ${member} is here already, as another's`);
  appendEvents(tx, organization, OPERATOR_AUTHOR, [
    {
      kind: "token_created",
      detail: `${member} ${id} imported${revoked_at === null ? "" : ", revoked"}`,
      concerns: [member],
    },
  ]);
  await ledger.add(tx, "token", { old: hash, room: null, new: id });
}
