import { fail } from "../../core/errors.ts";
import {
  type Action,
  type Actor,
  actionFor,
  type Decision,
  decide,
  mayChangeReviewer,
  type Status,
  type TaskState,
} from "./model.ts";
import { numbersListed } from "../files/attachments.ts";
import type { TaskRow } from "./queries.ts";
import { numbersOf, stateOf, textsOf } from "./task-answer.ts";

/** What an update asks for; undefined leaves a field alone, null empties it. */
export interface Wanted {
  readonly status?: Status | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly priority?: number | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly links?: readonly string[] | undefined;
  readonly depends_on?: readonly number[] | undefined;
  readonly attachments?: readonly number[] | undefined;
  readonly assignee?: string | null | undefined;
  readonly responsible?: string | null | undefined;
  readonly reviewer?: string | null | undefined;
}

export interface Plan {
  readonly next: TaskState;
  /** The names of the fields that get another value. Empty: there is nothing to do. */
  readonly changed: readonly (keyof Wanted)[];
  readonly needsDependencies: boolean;
}

/**
 * What an update comes to under the board's rules. Rights are judged by the task as it was before.
 *
 * @throws HubError `task_move`, `bad_input`
 */
export function planUpdate(row: TaskRow, wanted: Wanted, actor: Actor): Plan {
  const before = stateOf(row);
  const changed = changedFields(row, wanted);
  const refuse = (action: string, problem: string) =>
    fail("task_move", { task: row.number, status: row.status, action, problem });
  const take = (state: TaskState, action: Action, to?: string | null): Extract<Decision, { allowed: true }> => {
    const decision = decide(state, action, actor, to);
    if (!decision.allowed) throw refuse(action, decision.problem);
    return decision;
  };

  const edited = changed.filter((field) => field !== "status" && field !== "assignee");
  if (edited.length > 0) take(before, "edit");
  if (changed.includes("reviewer") && !mayChangeReviewer(before, actor))
    throw refuse("edit", "its reviewer is changed by its creator or an admin");
  if (wanted.reviewer === null && before.status === "in_review") throw refuse("edit", "it is in review");
  const reviewed = wanted.reviewer === undefined ? before : { ...before, reviewer: wanted.reviewer };
  const moved = moveOf(reviewed, wanted, changed, take, refuse);
  const responsible = wanted.responsible === undefined ? before.responsible : wanted.responsible;
  return {
    next: { ...(moved?.next ?? reviewed), responsible },
    changed,
    needsDependencies: moved?.needsDependencies ?? false,
  };
}

type Take = (state: TaskState, action: Action, to?: string | null) => Extract<Decision, { allowed: true }>;

/** The move that `status` and `assignee` ask for together: naming an assignee for a held task hands it over. */
function moveOf(
  state: TaskState,
  wanted: Wanted,
  changed: readonly string[],
  take: Take,
  refuse: (action: string, problem: string) => Error,
) {
  const asks = wanted.status !== undefined && changed.includes("status") ? actionFor(state, wanted.status) : undefined;
  if (asks && "problem" in asks) throw refuse(wanted.status ?? "", asks.problem);
  const action = asks?.action ?? (changed.includes("assignee") && state.claimed ? "release" : undefined);
  const moved = action && take(state, action, wanted.assignee ?? null);
  if (!changed.includes("assignee") || action === "release" || action === "reopen") return moved;
  if (moved?.next.claimed)
    throw fail("bad_input", { field: "assignee", problem: "cannot change together with that status" });
  return { needsDependencies: false, ...moved, next: take(moved?.next ?? state, "reserve", wanted.assignee).next };
}

function changedFields(row: TaskRow, wanted: Wanted): (keyof Wanted)[] {
  const current: Required<Wanted> = {
    ...row,
    labels: textsOf(row.labels),
    links: textsOf(row.links),
    depends_on: numbersOf(row.depends_on),
    attachments: numbersListed(row.files),
  };
  const fields = Object.keys(wanted) as (keyof Wanted)[]; // an update asks for nothing else
  return fields.filter((field) => wanted[field] !== undefined && !isSame(field, wanted[field], current[field]));
}

function isSame(field: keyof Wanted, wanted: unknown, current: unknown): boolean {
  if (AS_SETS.has(field)) return asSet(wanted) === asSet(current);
  return JSON.stringify(wanted) === JSON.stringify(current);
}

/** Order says nothing in these. */
const AS_SETS: ReadonlySet<string> = new Set(["depends_on", "labels", "attachments"]);

function asSet(list: unknown): string {
  return JSON.stringify([...new Set(list as readonly unknown[])].map(String).sort()); // these fields are lists
}
