import { fail } from "../../core/errors.ts";
import { LIMITS } from "../../core/limits.ts";
import type { RoomContext } from "../../core/operation.ts";
import { listEdges, listMissingTasks, listReached } from "./dependency-queries.ts";

/**
 * Refuses what a task cannot depend on: tasks that are not in the room, itself, and what needs it already.
 *
 * @param task  null for one that is still to be made, which nothing can need yet.
 * @throws HubError `dependency_not_found`, `bad_input`, `dependency_cycle` with the way round, `too_many`.
 */
export async function refuseBadDependencies(
  { tx, caller, room }: RoomContext,
  task: number | null,
  needs: readonly number[],
): Promise<void> {
  if (task !== null && needs.includes(task))
    throw fail("bad_input", { field: "depends_on", problem: "names the task itself" });
  const missing = await listMissingTasks(tx, caller.organization, room.id, needs);
  if (missing.length > 0) throw fail("dependency_not_found", { missing, room: room.name });
  if (task === null || needs.length === 0) return;
  await refuseCircle({ tx, caller, room }, task, needs);
}

/** Whether there is one is told by a walk over what these need. Whoever writes meanwhile waits for it, so it has an end. */
async function refuseCircle(
  { tx, caller, room }: Pick<RoomContext, "tx" | "caller" | "room">,
  task: number,
  needs: readonly number[],
) {
  const most = LIMITS.dependenciesInAll;
  const reached = await listReached(tx, caller.organization, room.id, needs, most + 1);
  if (reached.includes(task)) {
    const edges = await listEdges(tx, caller.organization, room.id, reached);
    throw fail("dependency_cycle", { path: [task, ...shortestPath(edges, needs, task)] });
  }
  if (reached.length > most) throw fail("too_many", { what: "tasks that one task needs, directly or not", most });
}

/** The fewest steps along `edges` from one of `from` to `to`, both ends included. */
export function shortestPath(
  edges: readonly { task: number; needs: number }[],
  from: readonly number[],
  to: number,
): number[] {
  const next = Map.groupBy(edges, (edge) => edge.task);
  const cameFrom = new Map<number, number | null>(from.map((number) => [number, null]));
  for (const number of cameFrom.keys()) {
    if (number === to) break;
    for (const { needs } of next.get(number) ?? []) if (!cameFrom.has(needs)) cameFrom.set(needs, number);
  }
  const path: number[] = [];
  for (let step: number | null | undefined = to; step !== null && step !== undefined; step = cameFrom.get(step))
    path.unshift(step);
  return path;
}
