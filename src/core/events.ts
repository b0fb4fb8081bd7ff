/** Everything that can happen, and what it tells. Names are kept from ChatRoomMCP where it had one. */
export const EVENTS = {
  organization_created: "An organization was made.",
  database_restored: "The hub came back from a backup; cursors of before are no longer good.",
  member_added: "An agent or a person became a member.",
  token_created: "A token was minted.",
  token_revoked: "A token was revoked.",
  tokens_purged: "Revoked tokens were removed.",
  room_created: "A room was made.",
  room_info_updated: "A room's description, address, notes or rules were set.",
  room_renamed: "A room was given another name.",
  room_archived: "A room was archived, or opened again; the detail says which.",
  room_deleted: "A room and everything in it was removed.",
  member_changed: "A member's role, rooms or profile were set by an administrator, or it was deactivated.",
  member_erased: "A person's name was taken out of everything; what it wrote stays, as a former member's.",
  profile_changed: "A person set its own name, ownership or notes.",
  policy_changed: "The organization's rules, or a room's, were set.",
  person_invited: "An invitation was made, used up or withdrawn.",
  signed_in: "A person signed in.",
  signed_out: "A session or a grant of a person was ended.",
  password_changed: "A person's password was set.",
  passkey_added: "A person registered a passkey.",
  passkey_removed: "A person removed a passkey.",
  hook_created: "A webhook was made, out of the organization or into a room.",
  hook_disabled: "An outbound webhook failed for too long and was disabled.",
  hook_deleted: "A webhook was deleted.",
  notice_added: "A person asked to be told of what waits, by an address of its own.",
  notice_disabled: "An address that a person is told by failed for too long and was disabled.",
  notice_removed: "A person took such an address back.",
  question_asked: "A question was asked of a person.",
  question_drafted: "A draft of an answer was written.",
  approval_requested: "A draft waits for its person's approval.",
  draft_rejected: "A draft was rejected by its person.",
  question_answered: "An answer was approved and delivered.",
  question_declined: "A question was declined by its recipient.",
  question_withdrawn: "A question was withdrawn by its asker.",
  question_redirected: "A question was handed on to another person.",
  question_expired: "A question's deadline passed without an answer.",
  answer_shared: "An answer was shared with a room or the organization.",
  retention_set: "How long a room keeps its messages, files and events was set.",
  room_pruned: "What a room keeps no longer was removed; the detail says how much.",
  message: "A message was posted.",
  message_retracted: "A message was taken back by its author or an admin.",
  task_created: "A task was made.",
  task_claimed: "A member became a task's holder.",
  task_updated: "A task was changed; the detail says what.",
  task_released: "A holder gave a task back or handed it on.",
  task_lease_ended: "A holder's lease ran out, and the task is free again.",
  note_added: "A note was written on a task.",
  file_added: "A file was put into a room.",
  file_deleted: "A file was deleted by its author or an admin.",
  wakes_paused: "An agent is not woken any more until a person acts or the hour turns; the detail says which and why.",
} as const satisfies Record<string, string>;

export type EventKind = keyof typeof EVENTS;

/** Acts of administration and on credentials: the audit log. Their rows keep the caller's credential and address. */
export const AUDITED: ReadonlySet<EventKind> = new Set([
  "organization_created",
  "database_restored",
  "member_added",
  "member_changed",
  "member_erased",
  "policy_changed",
  "person_invited",
  "signed_in",
  "signed_out",
  "password_changed",
  "passkey_added",
  "passkey_removed",
  "token_created",
  "token_revoked",
  "tokens_purged",
  "room_created",
  "room_renamed",
  "room_archived",
  "room_deleted",
  "retention_set",
  "room_pruned",
  "notice_added",
  "notice_disabled",
  "notice_removed",
  "hook_created",
  "hook_disabled",
  "hook_deleted",
]);

/** Kinds after which somebody may see more, or less, than a moment ago. */
export const TOUCHES_ACCESS: ReadonlySet<EventKind> = new Set([
  "token_created",
  "token_revoked",
  "tokens_purged",
  "room_created",
  "room_renamed",
  "room_archived",
  "room_deleted",
  "member_changed",
  "signed_out",
  "password_changed",
  "hook_deleted",
]);

/** What a rule tells when something happened; `execute` adds who, when and the position. */
export interface NewEvent {
  readonly kind: EventKind;
  /** The room's id; left out for what concerns the organization. */
  readonly room?: number;
  readonly task?: number;
  readonly message?: number;
  readonly file?: number;
  readonly question?: number;
  /** Up to 120 characters that others may have written; cut without cutting a character. */
  readonly detail?: string;
  /** Handles this is especially for: mentioned, assigned, asked. */
  readonly concerns?: readonly string[];
  /** The whole text that was stored; its digest becomes part of the event's. */
  readonly content?: string;
  /** The same for bytes that were stored: their SHA-256, in hex. */
  readonly contentHash?: string;
  /** Who did it, when that is not the caller: `crewroom` for what the hub does by itself. */
  readonly actor?: string;
  /** When it happened, where that is not now: what an import tells of. Ms since 1970, UTC. */
  readonly at?: number;
  /** The only members who may know of it. It belongs to no room then. */
  readonly only?: readonly string[];
}

/** An event as it is kept. `at` is ms since 1970, UTC. */
export interface LoggedEvent {
  readonly position: number;
  readonly room: number | null;
  readonly at: number;
  readonly kind: EventKind;
  readonly actor: string;
  readonly task: number | null;
  readonly message: number | null;
  readonly file: number | null;
  readonly question: number | null;
  readonly detail: string;
  readonly concerns: readonly string[];
}
