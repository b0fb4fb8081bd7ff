/** Where a task can stand. */
export const STATUSES = ["pending", "in_progress", "blocked", "in_review", "done", "cancelled"] as const;
export type Status = (typeof STATUSES)[number];

/** A status, and for those where it matters whether somebody holds the task. */
export const SITUATIONS = [
  "pending",
  "in_progress",
  "blocked, held",
  "blocked",
  "in_review, held",
  "in_review",
  "done",
  "cancelled",
] as const;
export type Situation = (typeof SITUATIONS)[number];

/** What can be done to a task. `reserve` names who shall claim a free one; `edit` is any change of its fields. */
export const ACTIONS = [
  "claim",
  "take_over",
  "block",
  "unblock",
  "finish",
  "approve",
  "send_back",
  "cancel",
  "reopen",
  "release",
  "reserve",
  "edit",
] as const;
export type Action = (typeof ACTIONS)[number];

/** In what part somebody acts. `last holder` held it before it was finished, cancelled or given back. */
export type Part = "holder" | "creator" | "responsible" | "reviewer" | "last holder" | "admin" | "any writer";

interface Move {
  /** Where it leads. `same`: it stays as it is. */
  readonly to: Status | "same";
  readonly by: readonly Part[];
  /** Only once every dependency is done. */
  readonly ready?: true;
  /** Where it leads instead when the task has a reviewer. */
  readonly reviewed?: Status;
}

const ANYONE: readonly Part[] = ["any writer"];
const OWNERS: readonly Part[] = ["holder", "creator", "responsible", "admin"];
const HOLDER: readonly Part[] = ["holder", "admin"];
const NOTHING: Record<Action, null> = {
  claim: null,
  take_over: null,
  block: null,
  unblock: null,
  finish: null,
  approve: null,
  send_back: null,
  cancel: null,
  reopen: null,
  release: null,
  reserve: null,
  edit: null,
};

const cancelBy = (by: readonly Part[]) => ({ cancel: { to: "cancelled", by } }) as const;
const finishBy = (by: readonly Part[]) => ({ finish: { to: "done", by, ready: true, reviewed: "in_review" } }) as const;
const FREE = {
  ...NOTHING,
  ...cancelBy(ANYONE),
  ...finishBy(ANYONE),
  claim: { to: "in_progress", by: ANYONE, ready: true },
  reserve: { to: "same", by: ANYONE },
  edit: { to: "same", by: ANYONE },
} as const;
const HELD = {
  ...NOTHING,
  ...cancelBy(OWNERS),
  ...finishBy(OWNERS),
  take_over: { to: "in_progress", by: HOLDER },
  release: { to: "pending", by: HOLDER },
  edit: { to: "same", by: OWNERS },
} as const;
const CLOSED = {
  ...NOTHING,
  reopen: { to: "pending", by: ["creator", "last holder", "admin"] },
  edit: { to: "same", by: ANYONE },
} as const;

/** The board's rules: what each action leads to from each situation, and for whom. `null`: for nobody. */
export const TABLE: Record<Situation, Record<Action, Move | null>> = {
  pending: { ...FREE, block: { to: "blocked", by: ANYONE } },
  blocked: { ...FREE, unblock: { to: "pending", by: ANYONE } },
  in_progress: { ...HELD, block: { to: "blocked", by: OWNERS } },
  "blocked, held": { ...HELD, unblock: { to: "in_progress", by: ["holder"] } },
  "in_review, held": {
    ...HELD,
    ...cancelBy(["creator", "responsible", "admin"]),
    take_over: null,
    finish: null,
    approve: { to: "done", by: ["reviewer"], ready: true },
    send_back: { to: "in_progress", by: ["reviewer"] },
    edit: { to: "same", by: [...OWNERS, "reviewer"] },
  },
  in_review: {
    ...NOTHING,
    ...cancelBy(["creator", "responsible", "admin"]),
    approve: { to: "done", by: ["reviewer"], ready: true },
    send_back: { to: "pending", by: ["reviewer"] },
    edit: { to: "same", by: ANYONE },
  },
  done: CLOSED,
  cancelled: CLOSED,
};

/** Which action a caller means who names the status it wants. `null`: that status is reached another way. */
const ASKED: Record<Status, Record<Situation, Action | null>> = {
  pending: {
    pending: null,
    in_progress: "release",
    "blocked, held": "release",
    blocked: "unblock",
    "in_review, held": "release",
    in_review: "send_back",
    done: "reopen",
    cancelled: "reopen",
  },
  in_progress: { ...everywhere(null), "blocked, held": "unblock", "in_review, held": "send_back" },
  blocked: everywhere("block"),
  in_review: everywhere("finish"),
  done: { ...everywhere("finish"), "in_review, held": "approve", in_review: "approve" },
  cancelled: everywhere("cancel"),
};

/** What the rules look at. A task is held while `claimed`; without it, `assignee` on an open task is who it is reserved for. */
export interface TaskState {
  readonly status: Status;
  readonly assignee: string | null;
  readonly claimed: boolean;
  readonly responsible: string | null;
  readonly reviewer: string | null;
  readonly created_by: string;
  readonly last_holder: string | null;
}

export interface Actor {
  readonly handle: string;
  readonly admin: boolean;
}

/** What came of asking: the next state, whether dependencies must be done first; or why not. */
export type Decision =
  | { readonly allowed: true; readonly next: TaskState; readonly needsDependencies: boolean }
  | { readonly allowed: false; readonly problem: string };

/** Whether `actor` may do `action`, and what the task is afterwards. `to`: whom a released or reserved task is kept for. */
export function decide(task: TaskState, action: Action, actor: Actor, to: string | null = null): Decision {
  const move = TABLE[situationOf(task)][action];
  if (!move) return { allowed: false, problem: `nothing ${situationOf(task)} can be ${PAST[action]}` };
  if (!move.by.some((part) => hasPart(task, actor, part)))
    return { allowed: false, problem: `only ${namesOf(task, move.by)} may` };
  const reserved = action === "claim" && task.assignee !== null && task.assignee !== actor.handle;
  if (reserved) return { allowed: false, problem: `it is reserved for ${task.assignee}` };
  const status = move.reviewed && task.reviewer !== null ? move.reviewed : move.to === "same" ? task.status : move.to;
  return { allowed: true, next: stateAfter(task, action, status, actor, to), needsDependencies: move.ready === true };
}

/** What a caller wants who asks for `status`; the action is null when that status is reached another way. */
export function actionFor(task: TaskState, status: Status): { action: Action } | { problem: string } {
  const action = ASKED[status][situationOf(task)];
  if (status === "in_review" && task.reviewer === null) return { problem: "it has no reviewer" };
  return action ? { action } : { problem: "work is started with claim_task" };
}

/** A reviewer who was named cannot be set aside by the one whose work is reviewed. */
export function mayChangeReviewer(task: TaskState, actor: Actor): boolean {
  const parts: readonly Part[] = task.reviewer === null ? ANYONE : ["creator", "reviewer", "admin"];
  return parts.some((part) => hasPart(task, actor, part));
}

export function situationOf({ status, claimed }: TaskState): Situation {
  if (status === "blocked") return claimed ? "blocked, held" : "blocked";
  if (status === "in_review") return claimed ? "in_review, held" : "in_review";
  return status;
}

function stateAfter(task: TaskState, action: Action, status: Status, actor: Actor, to: string | null): TaskState {
  const last_holder = task.claimed ? task.assignee : task.last_holder;
  if (action === "claim" || action === "take_over") {
    return { ...task, status, assignee: actor.handle, claimed: true, last_holder: task.claimed ? task.assignee : null };
  }
  if (action === "release" || action === "reopen")
    return { ...task, status, assignee: to, claimed: false, last_holder };
  if (action === "reserve") return { ...task, assignee: to };
  // Who finished it stays visible; who was only meant to claim it does not.
  if (status === "done" || status === "cancelled") {
    return { ...task, status, assignee: task.claimed ? task.assignee : null, claimed: false, last_holder };
  }
  return { ...task, status };
}

function hasPart(task: TaskState, actor: Actor, part: Part): boolean {
  if (part === "any writer") return true;
  if (part === "admin") return actor.admin;
  return handleOf(task, part) === actor.handle;
}

function handleOf(task: TaskState, part: Exclude<Part, "any writer" | "admin">): string | null {
  switch (part) {
    case "holder":
      return task.claimed ? task.assignee : null;
    case "creator":
      return task.created_by;
    case "last holder":
      return task.last_holder;
    default:
      return task[part];
  }
}

function namesOf(task: TaskState, parts: readonly Part[]): string {
  const names = parts.map((part) => {
    if (part === "any writer") return part;
    if (part === "admin") return "an admin";
    const handle = handleOf(task, part);
    return handle === null ? undefined : `its ${part} ${handle}`;
  });
  return names.filter((name) => name !== undefined).join(", ");
}

const PAST: Record<Action, string> = {
  claim: "claimed",
  take_over: "taken over",
  block: "blocked",
  unblock: "unblocked",
  finish: "finished",
  approve: "approved",
  send_back: "sent back",
  cancel: "cancelled",
  reopen: "reopened",
  release: "released",
  reserve: "reserved",
  edit: "changed",
};

function everywhere(action: Action | null): Record<Situation, Action | null> {
  // Every situation is in the list that the type is made from.
  return Object.fromEntries(SITUATIONS.map((situation) => [situation, action])) as Record<Situation, Action | null>;
}

/** The table as a page of the printed reference. */
export function taskStatesPage(): string {
  const rows = SITUATIONS.map((situation) => [situation, ...ACTIONS.map((action) => cellOf(TABLE[situation][action]))]);
  const lines = [["", ...ACTIONS], ["---", ...ACTIONS.map(() => "---")], ...rows];
  return [
    "# What can be done to a task",
    "",
    "Each cell: where it leads, and for whom. A dot: not possible. `ready`: only once every dependency is done.",
    "A task that is reserved can be claimed by the one it is reserved for alone. Everybody who may write may add notes.",
    "When a lease ends, `in_progress` becomes `pending` and `blocked` stays `blocked`, both without a holder.",
    "",
    ...lines.map((cells) => `| ${cells.join(" | ")} |`),
    "",
  ].join("\n");
}

function cellOf(move: Move | null): string {
  if (!move) return "·";
  const to = move.to === "same" ? "stays" : move.reviewed ? `${move.to}, or ${move.reviewed} with a reviewer` : move.to;
  return `${to}${move.ready ? " (ready)" : ""}: ${move.by.join(", ")}`;
}
