import { OPERATOR } from "../../access/operator.ts";
import { appendEvents, cutText } from "../../core/event-log.ts";
import { EVENTS, type EventKind, type NewEvent } from "../../core/events.ts";
import { LIMITS } from "../../core/limits.ts";
import type { ForeignRow } from "../../store/foreign.ts";
import type { Tx } from "../../store/store.ts";
import { LEASE_WITHOUT_PATH_MS } from "../board/claim-queries.ts";
import { digest, insertParts } from "../files/content.ts";
import { type Bringing, handleOf } from "./chatroom-members.ts";
import { bytesOf, momentIn, numberOf, numberOrNull, textOf, textOrNull } from "./fields.ts";
import { inOneCommit } from "./ledger.ts";
import { findHead } from "./queries.ts";
import { count, note } from "./report.ts";
import { insertOldFile, insertOldMessage, insertOldNote, insertOldTask } from "./timeline-queries.ts";

/** In this order within one second: what is told comes after what it tells of. */
const TABLES = ["tasks", "messages", "files", "notes", "events"] as const;
type Table = (typeof TABLES)[number];
interface Act {
  readonly table: Table;
  readonly row: ForeignRow;
  readonly at: number;
}
const TIMES: Record<Table, string> = { tasks: "created_ts", messages: "ts", files: "ts", notes: "ts", events: "ts" };
const KIND: Record<Table, "task" | "message" | "file" | "note" | "event"> = {
  tasks: "task",
  messages: "message",
  files: "file",
  notes: "note",
  events: "event",
};
/** A commit ends after so many acts, or so many bytes of files. */
const BATCH = 100;
const BATCH_BYTES = 4_000_000;

/** Everything that was written, in the order of time. */
export async function importTimeline(bringing: Bringing): Promise<void> {
  let batch: Act[] = [];
  let bytes = 0;
  const flush = async () => {
    const acts = batch;
    batch = [];
    bytes = 0;
    if (acts.length > 0) await inOneCommit(bringing.store, bringing.ledger, (tx) => importActs(tx, bringing, acts));
  };
  for await (const act of inOrder(bringing)) {
    if (bringing.ledger.find(KIND[act.table], textOf(act.row, "id"))) {
      count(bringing.report, KIND[act.table], "already");
      continue;
    }
    batch.push(act);
    bytes += act.table === "files" ? bytesOf(act.row, "content").length : 0;
    if (batch.length >= BATCH || bytes > BATCH_BYTES) await flush();
  }
  await flush();
}

/** Of an event of there it is noted up to where the log here has told it. */
async function importActs(tx: Tx, bringing: Bringing, acts: readonly Act[]): Promise<void> {
  const { organization } = bringing.ledger.scope;
  const head = await findHead(tx, organization);
  const told: NewEvent[] = [];
  for (const act of acts) {
    told.push(...(await importAct(tx, bringing, act)));
    if (act.table === "events") {
      const room = bringing.ledger.find("room", textOf(act.row, "room"))?.room ?? null;
      const old = textOf(act.row, "id");
      await bringing.ledger.add(tx, "event", { old, room, new: String(head + told.length) });
    }
  }
  if (told.length > 0) appendEvents(tx, organization, OPERATOR, told);
}

/** The tables side by side, each in its own order; what is earliest first. */
async function* inOrder({ foreign }: Bringing): AsyncGenerator<Act> {
  const streams: { next: Act | undefined; pull: () => Promise<Act | undefined> }[] = [];
  for (const table of TABLES) {
    if ((await foreign.columns(table)).length === 0) continue;
    const rows = foreign.rows(table, [TIMES[table], "id"])[Symbol.asyncIterator]();
    let last = 0;
    const pull = async () => {
      const { value, done } = await rows.next();
      if (done) return undefined;
      // A time that is none is that of the row before.
      last = Math.max(last, momentIn(value, TIMES[table]) ?? last);
      return { table, row: value, at: last };
    };
    streams.push({ next: await pull(), pull });
  }
  for (;;) {
    const first = streams.reduce<(typeof streams)[number] | undefined>(
      (best, one) => (one.next && (!best?.next || one.next.at < best.next.at) ? one : best),
      undefined,
    );
    if (!first?.next) return;
    yield first.next;
    first.next = await first.pull();
  }
}

/** Writes what an act was, and gives what is to be told of it: what makes something tells of itself, with its text's digest. */
async function importAct(tx: Tx, bringing: Bringing, act: Act): Promise<NewEvent[]> {
  const { ledger, report } = bringing;
  const room = ledger.find("room", textOf(act.row, "room"));
  if (act.table === "notes") return importNote(tx, bringing, act);
  if (!room || room.room === null) return skip(bringing, act, "is of a room that is not there");
  const key = { organization: ledger.scope.organization, room: room.room };
  if (act.table === "events") return importEvent(bringing, act, key.room);
  const old = textOf(act.row, "id");
  const kind = KIND[act.table];
  const made = await { tasks: importTask, messages: importMessage, files: importFile }[act.table](
    tx,
    bringing,
    act,
    key,
  );
  if (typeof made === "string") return skip(bringing, act, made);
  const told = { organization: key.organization, room: room.new, kind, old, new: made.number };
  await ledger.add(tx, kind, { old, room: key.room, new: String(made.number) }, () => void report.numbers.push(told));
  return [{ ...made.event, at: act.at }];
}

interface Made {
  readonly number: number;
  readonly event: NewEvent;
}
type Key = { readonly organization: string; readonly room: number };

function skip({ report }: Bringing, { table, row }: Act, why: string): NewEvent[] {
  count(report, KIND[table], "skipped");
  note(report, `${KIND[table]} ${textOf(row, "id")} ${why}`);
  return [];
}

async function importTask(tx: Tx, { ledger, report }: Bringing, { row, at }: Act, key: Key): Promise<Made> {
  const status = textOf(row, "status");
  const isKnown = ["pending", "in_progress", "blocked", "done", "cancelled"].includes(status);
  const assignee = textOrNull(row, "assignee");
  const isNobodys = status === "in_progress" && assignee === null;
  if (!isKnown || isNobodys)
    note(report, `task ${textOf(row, "id")} was ${status} ${isNobodys ? "by nobody" : ""}, and is pending`);
  const created_by = handleOf(ledger, textOf(row, "created_by"));
  const title = cutText(textOf(row, "title"), LIMITS.taskTitle);
  const body = textOf(row, "body");
  const number = await insertOldTask(tx, key, {
    title: title.trim() === "" ? "(no title)" : title,
    body,
    status: isKnown && !isNobodys ? (status as "pending") : "pending", // one of the list above
    assignee: assignee === null ? null : handleOf(ledger, assignee),
    version: Math.max(1, numberOf(row, "version")),
    created_by,
    created_at: at,
    updated_at: momentIn(row, "updated_ts") ?? at,
    priority: 2,
    lease_ms: LEASE_WITHOUT_PATH_MS,
  });
  return {
    number,
    event: { kind: "task_created", room: key.room, task: number, actor: created_by, detail: title, content: body },
  };
}

async function importMessage(tx: Tx, { ledger, report }: Bringing, { row, at }: Act, key: Key): Promise<Made> {
  const author = handleOf(ledger, textOf(row, "author"));
  const body = textOf(row, "body");
  const answered = numberOrNull(row, "reply_to");
  const parent = answered === null ? undefined : ledger.find("message", answered);
  const reply_to = parent?.room === key.room ? Number(parent.new) : null;
  if (answered !== null && reply_to === null)
    note(report, `message ${textOf(row, "id")} answers one that is not in its room any more`);
  const number = await insertOldMessage(tx, key, { author, at, body, reply_to });
  return {
    number,
    event: { kind: "message", room: key.room, message: number, actor: author, detail: body, content: body },
  };
}

async function importFile(tx: Tx, { ledger }: Bringing, { row, at }: Act, key: Key): Promise<Made | string> {
  const bytes = bytesOf(row, "content");
  const expires_at = momentIn(row, "expires_at") ?? null;
  const { sha256, parts } = digest(bytes);
  if (expires_at !== null && expires_at <= tx.now) return "has expired";
  if (sha256 !== textOf(row, "sha256")) return "is damaged: its bytes are not those of its digest";
  const author = handleOf(ledger, textOf(row, "author"));
  // A path is no name here.
  const name = cutText(textOf(row, "name").replaceAll(/[/\\\p{Cc}]/gu, "_"), LIMITS.fileName) || "file";
  const mime = textOrNull(row, "mime") ?? "application/octet-stream";
  const number = await insertOldFile(tx, key, { name, mime, size: bytes.length, sha256, author, at, expires_at });
  await insertParts(tx, { ...key, file: number }, parts);
  const expiry = expires_at === null ? "" : ` expires ${new Date(expires_at).toISOString()}`;
  const detail = `${name} (${bytes.length} B)${expiry}`;
  return {
    number,
    event: { kind: "file_added", room: key.room, file: number, actor: author, detail, contentHash: sha256 },
  };
}

async function importNote(tx: Tx, bringing: Bringing, act: Act): Promise<NewEvent[]> {
  const { ledger } = bringing;
  const task = ledger.find("task", textOf(act.row, "task_id"));
  if (!task || task.room === null) return skip(bringing, act, "is of a task that is not there");
  const { organization } = ledger.scope;
  const author = handleOf(ledger, textOf(act.row, "author"));
  const body = textOf(act.row, "body");
  const number = await insertOldNote(
    tx,
    { organization, room: task.room, task: Number(task.new) },
    { author, at: act.at, body },
  );
  const old = textOf(act.row, "id");
  await ledger.add(tx, "note", { old, room: task.room, new: `${task.new}.${number}` });
  return [
    {
      kind: "note_added",
      room: task.room,
      task: Number(task.new),
      actor: author,
      detail: body,
      content: body,
      at: act.at,
    },
  ];
}

/** What is told by what it tells of, as it is brought over. */
const TOLD_ELSEWHERE: ReadonlySet<string> = new Set(["task_created", "message", "file_added", "note_added"]);

/** The rest of what the log there told: who claimed, changed and released what. */
function importEvent(bringing: Bringing, act: Act, room: number): NewEvent[] {
  const { ledger } = bringing;
  const { row } = act;
  const kind = textOf(row, "kind");
  if (TOLD_ELSEWHERE.has(kind)) return [];
  // Upgrades of the other server are no news of this one.
  if (!(kind in EVENTS)) return [];
  const task = ledger.find("task", textOf(row, "task_id"));
  return [
    {
      kind: kind as EventKind, // looked up a moment ago
      room,
      ...(task && { task: Number(task.new) }),
      actor: handleOf(ledger, textOf(row, "actor")),
      detail: textOf(row, "detail"),
      at: act.at,
    },
  ];
}
