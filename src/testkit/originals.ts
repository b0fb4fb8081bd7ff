import { createHash, pbkdf2Sync } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

/**
 * Small databases as the two systems make them that Crewroom replaces: their tables and columns, a little of everything in them,
 * and what goes wrong there (names that no rule checks, a task that needs a later one, a file that has expired).
 */

/** Their secrets are known by their hashes alone. */
export const CHATROOM_TOKENS = {
  box1: `cr_${"a".repeat(43)}`,
  lead: `cr_${"b".repeat(43)}`,
  watcher: `cr_${"c".repeat(43)}`,
  gone: `cr_${"d".repeat(43)}`,
} as const;
export const CTALK_TOKENS = { ann: `ctalk_auth_${"a".repeat(43)}`, ben: `ctalk_auth_${"b".repeat(43)}` } as const;
export const CTALK_PASSWORDS = {
  ann: "correct horse",
  ben: "battery staple",
  founder: "a long admin password",
} as const;

const CHATROOM_TABLES = [
  `create table rooms (name text primary key, created_ts text not null, description text, repo_url text,
    onboarding_notes text, retention_days integer)`,
  `create table tokens (token_hash text primary key, agent_name text not null, default_room text not null,
    allowed_rooms text not null default '[]', created_ts text not null, last_seen text, revoked integer not null default 0,
    readonly integer not null default 0, admin integer not null default 0, all_rooms integer not null default 0, revoked_ts text)`,
  `create table tasks (id integer primary key autoincrement, room text, title text, body text default '',
    status text default 'pending', assignee text, depends_on text default '[]', version integer default 1, created_by text,
    created_ts text, updated_ts text)`,
  `create table notes (id integer primary key autoincrement, task_id integer, room text, author text, ts text, body text)`,
  `create table events (id integer primary key autoincrement, room text, ts text, kind text, task_id integer, actor text,
    detail text default '', message_id integer)`,
  `create table cursors (agent_name text, room text, last_event_id integer default 0, primary key (agent_name, room))`,
  `create table messages (id integer primary key autoincrement, room text, ts text, author text, body text, reply_to integer)`,
  `create table files (id integer primary key autoincrement, room text, name text, sha256 text, size integer,
    mime text default 'application/octet-stream', author text, ts text, content blob, expires_at text)`,
  `create table meta (key text primary key, value text)`,
];

type Value = string | number | null | Uint8Array;
type Rows = readonly (readonly Value[])[];

/** Moments of there: whole seconds, UTC. */
const at = (second: number) =>
  `2026-05-01T10:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}+00:00`;

/** Writes a database of ChatRoomMCP to a new file, which may be added to. */
export function makeChatroom(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = wal; ${CHATROOM_TABLES.join("; ")}`);
  const insert = (table: string, columns: string, rows: Rows) => {
    for (const row of rows)
      db.prepare(`insert into ${table} (${columns}) values (${row.map(() => "?").join(", ")})`).run(...row);
  };
  insert("rooms", "name, created_ts, description, repo_url, onboarding_notes, retention_days", [
    ["ops", at(0), "Pumps and pipes", "https://git.example/ops", "Read the runbook.", 30],
    ["Böse Räume!", at(1), null, "ftp://old.example", null, null],
  ]);
  const { box1, lead, watcher, gone } = CHATROOM_TOKENS;
  insert(
    "tokens",
    "token_hash, agent_name, default_room, allowed_rooms, created_ts, last_seen, revoked, readonly, admin, all_rooms, revoked_ts",
    [
      [sha256(box1), "box1", "ops", '["Böse Räume!"]', at(2), at(90), 0, 0, 0, 0, null],
      [sha256(lead), "Lead Agent", "ops", "[]", at(3), null, 0, 0, 1, 1, null],
      [sha256(watcher), "admin", "ops", "[]", at(4), null, 0, 1, 0, 0, null],
      [sha256(gone), "box1", "ops", "[]", at(5), null, 1, 0, 0, 0, at(50)],
    ],
  );
  insert("tasks", "id, room, title, body, status, assignee, depends_on, version, created_by, created_ts, updated_ts", [
    [3, "ops", "Mend the pump", "It leaks.", "in_progress", "box1", "[7]", 4, "Lead Agent", at(10), at(40)],
    [5, "Böse Räume!", "Elsewhere", "", "done", "Lead Agent", "[]", 2, "box1", at(20), at(30)],
    [7, "ops", "Order a seal", "", "pending", "Lead Agent", "[3, 5]", 1, "box1", at(25), at(25)],
    [8, "ops", "Nobody's", "", "in_progress", null, "[]", 1, "box1", at(26), at(26)],
  ]);
  insert("messages", "id, room, ts, author, body, reply_to", [
    [11, "ops", at(11), "box1", "The poller is live.\n\u6f22\u5b57", null],
    [12, "Böse Räume!", at(12), "Lead Agent", "In the other room.", null],
    [15, "ops", at(13), "Lead Agent", "Thanks.", 11],
    [16, "ops", at(60), "chatroom-server", "Upgraded 0.1.0 to 0.2.0.", null],
  ]);
  insert("notes", "id, task_id, room, author, ts, body", [
    [1, 3, "ops", "box1", at(35), "Seal is worn."],
    [2, 3, "ops", "Lead Agent", at(36), "Go on."],
  ]);
  insert("files", "id, room, name, sha256, size, mime, author, ts, content, expires_at", [
    [4, "ops", "logs/pump.log", sha256("pressure"), 8, "text/plain", "box1", at(37), Buffer.from("pressure"), null],
    [6, "ops", "gone.txt", sha256("x"), 1, "text/plain", "box1", at(38), Buffer.from("x"), at(39)],
    [9, "ops", "bad.txt", sha256("other"), 1, "text/plain", "box1", at(38), Buffer.from("y"), null],
  ]);
  insert("events", "id, room, ts, kind, task_id, actor, detail, message_id", [
    [1, "ops", at(10), "task_created", 3, "Lead Agent", "Mend the pump", null],
    [2, "ops", at(11), "message", null, "box1", "The poller is live. \u6f22\u5b57", 11],
    [3, "Böse Räume!", at(12), "message", null, "Lead Agent", "In the other room.", 12],
    [4, "ops", at(13), "message", null, "Lead Agent", "Thanks.", 15],
    [5, "ops", at(14), "task_claimed", 3, "box1", "", null],
    [6, "ops", at(36), "note_added", 3, "Lead Agent", "Go on.", null],
    [7, "ops", at(60), "server_upgraded", null, "chatroom-server", "0.1.0 -> 0.2.0", 16],
  ]);
  insert("cursors", "agent_name, room, last_event_id", [["box1", "ops", 5]]);
  insert("meta", "key, value", [["announced_version", "0.2.0"]]);
  return db;
}

const CTALK_TABLES = [
  `create table organizations (id text primary key, name text not null, admin_password_hash text, created_at text)`,
  `create table users (org_id text, user_id text, name text, password_hash text, ownership text, notes text,
    profile_notes text default '', created_at text, role text default '', level text default '',
    commit_history_opt_in integer default 0, primary key (org_id, user_id))`,
  `create table auth_tokens (token_hash text primary key, org_id text, user_id text, created_at text, last_used_at text)`,
  `create table org_messages (id integer primary key, org_id text, from_user_id text, to_user_id text, query_text text,
    draft_response text, final_response text, status text check (status in ('pending', 'answered')), created_at text,
    answered_at text)`,
  `create table user_interactions (org_id text, user_a_id text, user_b_id text, message_count integer default 0,
    last_interaction_at text, summary text default '', private_notes text default '', primary key (org_id, user_a_id, user_b_id))`,
  `create table skills (org_id text, user_id text, skill text, primary key (org_id, user_id, skill))`,
];

/** Statements that make a database of Ctalk, for SQLite and Postgres alike; `?` stands for a value. */
export function ctalkStatements(): (readonly [statement: string, values: readonly Value[]])[] {
  const { ann, ben, founder } = CTALK_PASSWORDS;
  const rows: Record<string, Rows> = {
    organizations: [
      ["acme", "Acme Ltd", pbkdf2(founder), at(0)],
      ["-odd-", "Odd", null, at(1)],
    ],
    users: [
      ["acme", "ann", "Ann", pbkdf2(ann), '["billing"]', "mornings only", "keep an eye", at(2), "lead", "senior", 0],
      ["acme", "ben", "Ben", pbkdf2(ben), "[]", "", "", at(3), "", "", 0],
      ["acme", "admin", "Admina", pbkdf2(ben), "not json", "", "", at(4), "", "", 0],
      ["-odd-", "ann", "Another Ann", pbkdf2(ann), "[]", "", "", at(5), "", "", 0],
    ],
    auth_tokens: [
      [sha256(CTALK_TOKENS.ann), "acme", "ann", at(6), at(7)],
      [sha256(CTALK_TOKENS.ben), "acme", "ben", at(6), null],
    ],
    org_messages: [
      [4, "acme", "ann", "ben", "How many retries?", "Three.", "Three, with pauses.", "answered", at(10), at(20)],
      [5, "-odd-", "ann", "ann", "", null, null, "pending", at(11), null],
      [6, "acme", "ben", "ann", "Which colour?", "Green.", null, "pending", at(12), null],
      [9, "acme", "ann", "zoe", "Still there?", "Yes.", "Yes.", "answered", at(13), at(20)],
      [10, "acme", "ann", "ben", "And now?", null, null, "pending", at(14), null],
    ],
    user_interactions: [["acme", "ann", "ben", 3, at(20), "", ""]],
    skills: [["acme", "ann", "postgres"]],
  };
  const inserts = Object.entries(rows).flatMap(([table, ofTable]) =>
    ofTable.map((row) => [`insert into ${table} values (${row.map(() => "?").join(", ")})`, row] as const),
  );
  return [...CTALK_TABLES.map((statement) => [statement, []] as const), ...inserts];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** As Ctalk keeps a password. */
function pbkdf2(password: string): string {
  const salt = createHash("sha256").update(password).digest().subarray(0, 16);
  const digest = pbkdf2Sync(password, salt, 200_000, 32, "sha256");
  return `pbkdf2_sha256$200000$${salt.toString("base64")}$${digest.toString("base64")}`;
}
