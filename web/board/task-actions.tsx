import { useState } from "react";
import { type Status, type Task, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { STATUSES } from "./moves.ts";
import { EditTask, TakeOver } from "./task-dialogs.tsx";
import { useMove } from "./use-tasks.ts";

/** What the viewer may do with a task. */
export function TaskActions({ room, task }: { readonly room: string; readonly task: Task }) {
  const { me } = useHub();
  const move = useMove(room);
  const [dialog, setDialog] = useState<"edit" | "take_over">();
  const { board } = TEXTS;
  const isMine = task.assignee === me.user_id;
  const isFree = task.status === "pending" || (task.status === "blocked" && task.assignee === null);
  const mayTakeOver = me.roles.includes("admin") && !isMine && task.lease_ends_at !== null;
  const moveTo = (to: Status) => move.mutate({ task, to });
  const onClose = () => setDialog(undefined);
  return (
    <div className="actions left-side">
      {isFree && (
        <button type="button" className="main" disabled={move.isPending} onClick={() => moveTo("in_progress")}>
          {board.claim}
        </button>
      )}
      {isMine && task.status === "in_progress" && (
        <button type="button" disabled={move.isPending} onClick={() => moveTo("pending")}>
          {board.release}
        </button>
      )}
      <MoveTo task={task} isBusy={move.isPending} onMove={moveTo} />
      <button type="button" onClick={() => setDialog("edit")}>
        {board.edit}
      </button>
      {mayTakeOver && (
        <button type="button" onClick={() => setDialog("take_over")}>
          {board.takeOver}
        </button>
      )}
      {dialog === "edit" && <EditTask room={room} task={task} onClose={onClose} />}
      {dialog === "take_over" && <TakeOver room={room} task={task} onClose={onClose} />}
    </div>
  );
}

interface MoveToProps {
  readonly task: Task;
  readonly isBusy: boolean;
  readonly onMove: (to: Status) => void;
}

function MoveTo({ task, isBusy, onMove }: MoveToProps) {
  return (
    <label className="inline">
      {TEXTS.board.moveTo}
      <select value={task.status} disabled={isBusy} onChange={({ target }) => onMove(target.value as Status)}>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {TEXTS.board.statuses[status]}
          </option>
        ))}
      </select>
    </label>
  );
}
