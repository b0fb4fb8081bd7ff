import { type ErrorEntry, PEOPLE_ERRORS } from "./people-errors.ts";
import { maskTokens } from "./secrets.ts";

/** Everything a caller may be told besides the sentence; it goes out as `error.data`. */
export type ErrorData = Readonly<Record<string, unknown>>;

/**
 * Every way a call can fail: the HTTP status, the sentence that names the fact, and the next step.
 * A sentence never repeats text that another member wrote.
 */
export const ERRORS = {
  bad_input: {
    status: 400,
    say: (d: { field: string; problem: string }) => (d.field ? `${d.field}: ${d.problem}.` : `The input ${d.problem}.`),
    next: "Correct that field and call again; nothing was changed.",
  },
  not_json: {
    status: 400,
    say: (d: { problem: string }) => `The body is not one JSON object: ${d.problem}.`,
    next: "Send one JSON object, in UTF-8.",
  },
  unknown_cursor: {
    status: 400,
    say: (d: { problem: string }) => `The cursor ${d.problem}.`,
    next: "Use a cursor or an event id that this hub gave you.",
  },
  not_signed_in: {
    status: 401,
    say: (d: { problem: string }) => `${d.problem}.`,
    next: "Send Authorization: Bearer <token>; ask the operator for a token with: crewroom token add.",
  },
  not_allowed: {
    status: 403,
    say: (d: { needs: string }) => `This credential may not do that: it needs ${d.needs}.`,
    next: "Use a credential with that role, or ask an administrator.",
  },
  not_yours: {
    status: 403,
    say: (d: { what: string }) => `${d.what} is another member's; its author or an admin may do that.`,
    next: "Ask its author, or an admin of the room.",
  },
  room_not_granted: {
    status: 403,
    say: (d: { room: string; rooms: readonly string[] }) =>
      `Room ${JSON.stringify(d.room)} is not granted to this credential. Granted: ${d.rooms.join(", ") || "none"}.`,
    next: "Name one of the granted rooms, or leave room out for the default one.",
  },
  origin_not_allowed: {
    status: 403,
    say: () => "Requests from that web origin are not allowed.",
    next: "The operator can list it in CREWROOM_ALLOWED_ORIGINS.",
  },
  not_found: {
    status: 404,
    say: (d: { what: string }) => `There is no ${d.what} here.`,
    next: "Check the address in /openapi.json.",
  },
  task_not_found: {
    status: 404,
    say: (d: { task: number; room: string }) => `There is no task #${d.task} in room ${d.room}.`,
    next: "See list_tasks.",
  },
  message_not_found: {
    status: 404,
    say: (d: { message: number; room: string }) => `There is no message m${d.message} in room ${d.room}.`,
    next: "See read_messages.",
  },
  file_not_found: {
    status: 404,
    say: (d: { file: number; room: string }) => `There is no file f${d.file} in room ${d.room}.`,
    next: "See list_files; a file that has expired is gone.",
  },
  member_not_found: {
    status: 404,
    say: (d: { member: string; room: string }) => `There is no member ${JSON.stringify(d.member)} in room ${d.room}.`,
    next: "See list_agents.",
  },
  token_not_found: {
    status: 404,
    say: (d: { token: string }) => `There is no token ${d.token}.`,
    next: "See list_tokens.",
  },
  method_not_allowed: {
    status: 405,
    say: (d: { allowed: string }) => `That method is not served here; ${d.allowed} is.`,
    next: "Use the method named.",
  },
  not_acceptable: {
    status: 406,
    say: () => "The Accept header leaves out application/json.",
    next: "Accept application/json (and text/event-stream on /mcp).",
  },
  upload_stalled: {
    status: 408,
    say: (d: { stalled: number }) => `No byte of the file came for ${d.stalled} seconds. Nothing was kept.`,
    next: "Send it again.",
  },
  task_move: {
    status: 409,
    say: (d: { task: number; status: string; action: string; problem: string }) =>
      `Task #${d.task} is ${d.status}: ${d.action} is not possible, ${d.problem}.`,
    next: "Read it with get_task; the allowed moves are in docs/reference/task-states.md.",
  },
  dependency_unfinished: {
    status: 409,
    say: (d: { task: number | null; unfinished: readonly number[] }) =>
      `${d.task === null ? "The new task" : `Task #${d.task}`} waits for ${d.unfinished.map((n) => `#${n}`).join(", ")}.`,
    next: "Finish those first, or change depends_on with update_task.",
  },
  dependency_not_found: {
    status: 404,
    say: (d: { missing: readonly number[]; room: string }) =>
      `There is no task ${d.missing.map((n) => `#${n}`).join(", ")} in room ${d.room} to depend on.`,
    next: "See list_tasks.",
  },
  dependency_cycle: {
    status: 409,
    say: (d: { path: readonly number[] }) =>
      `That would close a circle: ${d.path.map((n) => `#${n}`).join(" needs ")}.`,
    next: "Leave out one of these dependencies.",
  },
  claim_stale: {
    status: 409,
    say: (d: { task: number; yours: number; current: number }) =>
      `Your claim ${d.yours} of task #${d.task} has ended; its newest claim is number ${d.current}.`,
    next: "Read it with get_task; claim it again if it is free.",
  },
  room_exists: {
    status: 409,
    say: (d: { room: string }) => `Room ${d.room} exists already.`,
    next: "Change it with set_room_info.",
  },
  room_archived: {
    status: 409,
    say: (d: { room: string }) => `Room ${d.room} is archived: it can be read, and nothing is written in it any more.`,
    next: "Use another room; an admin can open it again with archive_room, archived: false.",
  },
  handle_taken: {
    status: 409,
    say: (d: { handle: string }) => `The handle ${d.handle} is another member's, or once was.`,
    next: "Choose another handle.",
  },
  organization_not_found: {
    status: 404,
    say: (d: { organization: string }) => `There is no organization ${d.organization}.`,
    next: "The operator sees them with: crewroom org list.",
  },
  organization_exists: {
    status: 409,
    say: (d: { organization: string }) => `Organization ${d.organization} exists already.`,
    next: "Choose another id.",
  },
  own_token: {
    status: 409,
    say: () => "That is the token this call was made with.",
    next: "Repeat with confirm_self: true if you mean it.",
  },
  too_many: {
    status: 409,
    say: (d: { what: string; most: number }) => `There may be at most ${d.most} ${d.what}.`,
    next: "End, withdraw or remove one first.",
  },
  epoch_changed: {
    status: 410,
    say: (d: { epoch: string; head: number }) =>
      `History was restored or replaced: this log's epoch is ${d.epoch}, its head ${d.head}.`,
    next: "Read the present state again (list_tasks, read_messages), then go on from the new cursor.",
  },
  cursor_ahead: {
    status: 400,
    say: (d: { head: number }) => `The cursor is ahead of the log, whose head is ${d.head}.`,
    next: "Use a cursor that this hub gave you.",
  },
  cursor_expired: {
    status: 410,
    say: (d: { oldest: number; cursor: string }) =>
      `Events before ${d.oldest} are no longer kept; what you had not read of them is gone.`,
    next: "Read the present state again (list_tasks, read_messages), then go on from data.cursor: whats_new takes it as ack, the others as the place to start from.",
  },
  gone: {
    status: 410,
    say: (d: { instead: string }) => `This address was retired; ${d.instead} serves instead.`,
    next: "Use the address named.",
  },
  too_large: {
    status: 413,
    say: (d: { what: string; most: number; unit: string }) => `${d.what} is larger than ${d.most} ${d.unit}.`,
    next: "Send less.",
  },
  file_quota: {
    status: 413,
    say: (d: { used: number; size: number; most: number }) =>
      `The organization may keep ${d.most} bytes of files and keeps ${d.used}; ${d.size} more do not fit.`,
    next: "Delete files with delete_file, or let new ones expire; the operator sets CREWROOM_FILE_QUOTA_MB.",
  },
  not_json_type: {
    status: 415,
    say: (d: { got: string }) => `The body's type is ${d.got}; it must be application/json, not encoded.`,
    next: "Send Content-Type: application/json (curl: -H 'content-type: application/json').",
  },
  no_such_range: {
    status: 416,
    say: (d: { size: number }) => `The range begins behind the file's end; it has ${d.size} bytes.`,
    next: "Ask for a range within it, or leave Range out.",
  },
  host_not_allowed: {
    status: 421,
    say: () => "This hub does not answer for that Host.",
    next: "The operator can list it in CREWROOM_ALLOWED_HOSTS.",
  },
  key_reused: {
    status: 422,
    say: (d: { key: string }) => `The idempotency key ${JSON.stringify(d.key)} was used with other input.`,
    next: "Use a new key for a new call.",
  },
  too_many_calls: {
    status: 429,
    say: (d: { seconds: number }) => `This credential calls too often; wait ${d.seconds} seconds.`,
    next: "Wait that long, then call again.",
  },
  too_many_uploads: {
    status: 429,
    say: (d: { seconds: number }) => `Too much is being uploaded at once; wait ${d.seconds} seconds.`,
    next: "Wait that long, then send it again.",
  },
  too_many_streams: {
    status: 429,
    say: (d: { most: number; seconds: number }) =>
      `This credential holds ${d.most} open streams or waits, the most allowed.`,
    next: "Close one first.",
  },
  headers_too_large: {
    status: 431,
    say: () => "The request's headers are too large.",
    next: "Send fewer or shorter headers.",
  },
  storage_full: {
    status: 503,
    say: () => "The disk is full or read-only: reading works, writing does not. Nothing was changed.",
    next: "Call again later; the operator must make room.",
  },
  database_away: {
    status: 503,
    say: () => "The database does not answer. Nothing was changed.",
    next: "Call again in a few seconds.",
  },
  outcome_unknown: {
    status: 503,
    say: () => "The database was cut off during the commit: the call may or may not have had its effect.",
    next: "Call again with the same idempotency_key, or read the present state first.",
  },
  stopping: { status: 503, say: () => "The hub is stopping.", next: "Call again in a few seconds." },
  file_damaged: {
    status: 500,
    say: (d: { file: number }) => `The stored bytes of file f${d.file} are no longer those that were put.`,
    next: "Tell the operator: a backup may have them; crewroom verify lists all that is damaged.",
  },
  internal: { status: 500, say: () => "This is a fault of the hub.", next: "Tell the operator the trace." },
  ...PEOPLE_ERRORS,
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
type DataOf<Code extends ErrorCode> = Parameters<(typeof ERRORS)[Code]["say"]> extends [infer Data] ? Data : undefined;

/** A refusal the caller can act on. Anything else that is thrown is a bug. */
export class HubError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly next: string;
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, data: ErrorData) {
    super(message);
    this.code = code;
    this.status = ERRORS[code].status;
    this.next = ERRORS[code].next;
    this.data = data;
  }
}

/** Makes the refusal `code`; its sentence is filled in from `data`, which the caller gets too. Throw what it gives. */
export function fail<Code extends ErrorCode>(
  code: Code,
  ...[data]: DataOf<Code> extends undefined ? [] : [DataOf<Code>]
): HubError {
  // The list pairs each code with the data its sentence takes, and the signature holds callers to it.
  const say = ERRORS[code].say as (data: unknown) => string;
  return new HubError(code, maskTokens(say(data)), withoutTokens(data ?? {}));
}

/** A refusal may repeat what it was sent, and that may be a secret. */
function withoutTokens(data: ErrorData): ErrorData {
  const told = JSON.stringify(data);
  return told.includes("crw_") ? (JSON.parse(maskTokens(told)) as ErrorData) : data; // as it was, but for covered tokens
}
