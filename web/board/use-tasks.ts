import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Hub, type Status, type Task, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { tell, tellProblem } from "../ui/toasts.tsx";
import { move } from "./moves.ts";

const MOST_PAGES = 10;
/** So many of what is over are shown; the rest is found by its number. */
const CLOSED = 30;

/** The open tasks of a room and the latest that are over. */
export function useTasks(room: string) {
  const hub = useHub();
  return useQuery({ queryKey: keys.tasks(room), queryFn: () => readTasks(hub, room) });
}

async function readTasks({ call }: Hub, room: string): Promise<readonly Task[]> {
  const over = ["done", "cancelled"] as const;
  const closed = over.map((status) => call("list_tasks", { room, status, limit: CLOSED }));
  const open: Task[] = [];
  let before_id: number | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { tasks, next } = await call("list_tasks", { room, status: "open", limit: 200, before_id });
    open.push(...tasks);
    if (!next) break;
    ({ before_id } = next);
  }
  return [...open, ...(await Promise.all(closed)).flatMap(({ tasks }) => tasks)];
}

/** The most urgent first; of those, the oldest. What is over, the latest first. */
export function inColumn(tasks: readonly Task[], status: Status): readonly Task[] {
  const isOver = status === "done" || status === "cancelled";
  return tasks
    .filter((task) => task.status === status)
    .toSorted((a, b) => (isOver ? (a.updated_ts < b.updated_ts ? 1 : -1) : a.priority - b.priority || a.id - b.id));
}

/** Moves a task at once on this board, and back if the hub decides otherwise. */
export function useMove(room: string) {
  const hub = useHub();
  const queries = useQueryClient();
  const key = keys.tasks(room);
  return useMutation({
    mutationFn: ({ task, to }: { task: Task; to: Status }) => move(hub, task, to),
    async onMutate({ task, to }) {
      await queries.cancelQueries({ queryKey: key });
      const before = queries.getQueryData<readonly Task[]>(key);
      queries.setQueryData<readonly Task[]>(key, (tasks) =>
        tasks?.map((one) => (one.id === task.id ? { ...one, status: to } : one)),
      );
      return before;
    },
    onError(error, _, before) {
      if (before) queries.setQueryData(key, before);
      tellProblem(error);
    },
    onSuccess(result, { task, to }) {
      if (result.moved) tell(TEXTS.board.moved(task.id, TEXTS.board.statuses[to]));
      else tellProblem(new Error(result.says));
    },
    async onSettled(_, _error, { task }) {
      await queries.invalidateQueries({ queryKey: key });
      await queries.invalidateQueries({ queryKey: keys.task(room, task.id) });
      await queries.invalidateQueries({ queryKey: keys.mine(room) });
    },
  });
}
