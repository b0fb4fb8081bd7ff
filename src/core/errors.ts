import { maskTokens } from "./secrets.ts";

/** Everything a caller may be told besides the sentence; it goes out as `error.data`. */
export type ErrorData = Readonly<Record<string, unknown>>;

interface ErrorEntry {
  readonly status: number;
  readonly say: (data: never) => string;
  readonly next: string;
}

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
  wrong_sign_in: {
    status: 401,
    say: () => "The organization, the user and the password do not go together.",
    next: "Check all three; an administrator can set a new password with: crewroom person password.",
  },
  not_allowed: {
    status: 403,
    say: (d: { needs: string }) => `This credential may not do that: it needs ${d.needs}.`,
    next: "Use a credential with that role, or ask an administrator.",
  },
  scope_missing: {
    status: 403,
    say: (d: { scopes: readonly string[] }) => `The client was not let in for that: it needs ${d.scopes.join(" ")}.`,
    next: "Sign in again from the client and ask for those scopes; its person ticks them on the hub's page.",
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
  sign_up_closed: {
    status: 403,
    say: () => "Organizations cannot be registered here from there: CREWROOM_SIGNUP does not let them.",
    next: "Ask the operator for an invitation, or for: crewroom org add. CREWROOM_SIGNUP=open lets everybody.",
  },
  origin_not_allowed: {
    status: 403,
    say: () => "Requests from that web origin are not allowed.",
    next: "The operator can list it in CREWROOM_ALLOWED_ORIGINS.",
  },
  form_stale: {
    status: 403,
    say: () => "That form was not made for this browser and its present sign-in.",
    next: "Open the page again and send the form from there; cookies must be allowed.",
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
  member_not_found: {
    status: 404,
    say: (d: { member: string; room: string }) => `There is no member ${JSON.stringify(d.member)} in room ${d.room}.`,
    next: "See list_agents.",
  },
  person_not_found: {
    status: 404,
    say: (d: { user_id: string }) => `There is nobody called ${JSON.stringify(d.user_id)} here.`,
    next: "See list_users; somebody who is missing can be invited with invite_person, which takes a question along.",
  },
  question_not_found: {
    status: 404,
    say: (d: { question: number }) => `There is no question q${d.question} of yours.`,
    next: "See check_inbox for what you are asked, check_replies for what you asked.",
  },
  approval_not_found: {
    status: 404,
    say: (d: { approval: string }) => `Nothing of yours waits for approval as ${JSON.stringify(d.approval)}.`,
    next: "See list_approvals.",
  },
  session_not_found: {
    status: 404,
    say: (d: { session: string }) => `There is no sign-in ${JSON.stringify(d.session)} of that person.`,
    next: "See list_sessions.",
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
  invitation_not_found: {
    status: 404,
    say: (d: { invitation: string }) => `There is no invitation ${JSON.stringify(d.invitation)} that could still be used.`,
    next: "See list_invitations.",
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
  question_move: {
    status: 409,
    say: (d: { question: number; state: string; action: string; problem: string }) =>
      `Question q${d.question} is ${d.state}: ${d.action} is not possible, ${d.problem}.`,
    next: "The allowed moves are in docs/reference/question-states.md.",
  },
  draft_needed: {
    status: 409,
    say: (d: { question: number }) => `Question q${d.question} has no draft of an answer yet.`,
    next: "Write one with propose_response, show it to your person, then send it.",
  },
  approval_closed: {
    status: 409,
    say: (d: { state: string }) => `That request for approval is ${d.state}; nothing was sent by this.`,
    next: "See list_approvals for what waits now.",
  },
  approval_changed: {
    status: 409,
    say: (d: { hash: string }) => `The hash is not that of what waits for approval, which is ${d.hash}.`,
    next: "Show it again, read it, and approve what you saw.",
  },
  level_too_low: {
    status: 403,
    say: (d: { level: string; minimum: string; url: string }) =>
      `That would count as ${d.level}, and this organization asks for ${d.minimum}.`,
    next: "Approve it in your own browser, on the hub's page that url names; for signed, with a passkey.",
  },
  password_exposed: {
    status: 403,
    say: (d: { minimum: string; url: string }) =>
      `Your password has passed through a tool, so what you approve counts as prompted at most, and this organization asks for ${d.minimum}.`,
    next: "Choose a new password on the hub's page that url names, then approve.",
  },
  page_only: {
    status: 403,
    say: (_: { url: string }) => "The text is long, or has characters that do not show: a prompt could hide some of it.",
    next: "Approve it in your own browser, on the hub's page that url names.",
  },
  room_exists: {
    status: 409,
    say: (d: { room: string }) => `Room ${d.room} exists already.`,
    next: "Change it with set_room_info.",
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
  last_administrator: {
    status: 409,
    say: (d: { user_id: string }) => `${d.user_id} is the last administrator who can sign in.`,
    next: "Invite another one first: invite_person with role admin.",
  },
  own_token: {
    status: 409,
    say: () => "That is the token this call was made with.",
    next: "Repeat with confirm_self: true if you mean it.",
  },
  too_many: {
    status: 409,
    say: (d: { what: string; most: number }) => `There may be at most ${d.most} ${d.what}.`,
    next: "Remove one first.",
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
    say: (d: { oldest: number }) => `Events before ${d.oldest} are no longer kept.`,
    next: "Read the present state again, then go on from the oldest event kept.",
  },
  approval_stale: {
    status: 410,
    say: () => "The text was not shown within the last 15 minutes.",
    next: "Show it again with show_approval, read it, then approve.",
  },
  approval_expired: {
    status: 410,
    say: () => "The question's deadline is over, and with it the request for approval.",
    next: "Nothing can be sent any more; its asker was told.",
  },
  invitation_ended: {
    status: 410,
    say: () => "This link does not work: it was used, withdrawn, has run out, or never was one.",
    next: "Ask whoever sent it for a new one.",
  },
  sign_in_over: {
    status: 410,
    say: () => "This sign-in was finished, has run out, or was begun in another browser.",
    next: "Begin it again from the client; a page is good for ten minutes, and cookies must be allowed.",
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
  not_json_type: {
    status: 415,
    say: (d: { got: string }) => `The body's type is ${d.got}; it must be application/json, not encoded.`,
    next: "Send Content-Type: application/json (curl: -H 'content-type: application/json').",
  },
  not_form_type: {
    status: 415,
    say: () => "The body's type must be application/x-www-form-urlencoded, in UTF-8 and not encoded.",
    next: "Send the form from its page.",
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
  too_many_attempts: {
    status: 429,
    say: (d: { seconds: number }) => `Too many failed sign-ins; wait ${d.seconds} seconds.`,
    next: "Wait, then sign in with what works.",
  },
  too_many_from_address: {
    status: 429,
    say: (d: { seconds: number }) => `Too many requests of that sort from this address; wait ${d.seconds} seconds.`,
    next: "Wait that long, then try again.",
  },
  too_many_calls: {
    status: 429,
    say: (d: { seconds: number }) => `This credential calls too often; wait ${d.seconds} seconds.`,
    next: "Wait that long, then call again.",
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
  passkey_not_fit: {
    status: 400,
    say: () => "That is no answer of a passkey that fits here, with its person verified.",
    next: "Open the page again and let the browser ask your passkey; it needs https, or localhost.",
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
  internal: { status: 500, say: () => "This is a fault of the hub.", next: "Tell the operator the trace." },
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
