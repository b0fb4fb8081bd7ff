import type { AnswerOf, Hub, Status, Task } from "../hub.ts";

/** The columns of the board, in the order of the work. */
export const STATUSES: readonly Status[] = ["pending", "in_progress", "blocked", "in_review", "done", "cancelled"];

/** What a move came to. Losing a race is an answer of the hub too: it says who was faster. */
export type Moved = { readonly moved: true } | { readonly moved: false; readonly says: string };

/** Moves a task to a column: which operation that is depends on where it stands. The hub decides. @throws HubRefusal */
export async function move({ call }: Pick<Hub, "call">, task: Task, to: Status): Promise<Moved> {
  const { id: task_id, room } = task;
  const begins = task.status === "pending" || (task.status === "blocked" && task.assignee === null);
  if (to === "in_progress" && begins) return movedBy(await call("claim_task", { room, task_id }));
  const isHeld = task.assignee !== null && task.lease_ends_at !== null;
  const givesBack = to === "pending" && (task.status === "in_progress" || (task.status === "blocked" && isHeld));
  if (givesBack) {
    const { released, reason } = await call("release_task", { room, task_id });
    return released ? { moved: true } : { moved: false, says: reason ?? "" };
  }
  const answer = await call("update_task", { room, task_id, status: to, expected_version: task.version });
  return answer.updated ? { moved: true } : { moved: false, says: answer.reason ?? "" };
}

function movedBy({ claimed, reason, holder }: AnswerOf<"claim_task">): Moved {
  return claimed ? { moved: true } : { moved: false, says: reason ?? holder ?? "" };
}
