import { useDraggable } from "@dnd-kit/core";
import { Link } from "wouter";
import { mayWrite, type Status, type Task, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Icon } from "../ui/icons.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Left } from "../ui/moment.tsx";
import { numbers } from "./task-row.tsx";
import { STATUSES } from "./moves.ts";

interface TaskCardProps {
  readonly task: Task;
  readonly onMove: (to: Status) => void;
}

export function TaskCard({ task, onMove }: TaskCardProps) {
  const hub = useHub();
  const canMove = mayWrite(hub);
  const { setNodeRef, setActivatorNodeRef, listeners, attributes, isDragging } = useDraggable({
    id: task.id,
    disabled: !canMove,
  });
  return (
    <li ref={setNodeRef} className={isDragging ? "task-card away" : "task-card"} {...(canMove && listeners)}>
      <CardBody task={task} />
      {canMove && (
        <div className="card-foot">
          <button
            ref={setActivatorNodeRef}
            type="button"
            className="bare grip"
            {...attributes}
            aria-label={TEXTS.board.grip(task.id)}
          >
            <Icon name="menu" />
          </button>
          <select
            className="small"
            aria-label={TEXTS.board.move(task.id)}
            value={task.status}
            onChange={({ target }) => onMove(target.value as Status)}
          >
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {TEXTS.board.statuses[status]}
              </option>
            ))}
          </select>
        </div>
      )}
    </li>
  );
}

/** What a card says. */
export function CardBody({ task }: { readonly task: Task }) {
  const { isWall } = useHub();
  const { id, room, title, priority, labels, assignee, lease_ends_at, blocked_by_unfinished, reviewer, status } = task;
  const name = <bdi>{title}</bdi>;
  return (
    <>
      <p className="card-title">{isWall ? name : <Link href={`/ui/rooms/${room}/tasks/${id}`}>{name}</Link>}</p>
      <p className="card-facts quiet">
        <span>#{id}</span>
        {priority < 2 && <span className="chip urgent">{TEXTS.board.priorities[priority]}</span>}
        {labels.map((label) => (
          <span key={label} className="chip">
            {label}
          </span>
        ))}
        {blocked_by_unfinished.length > 0 && (
          <span className="waits-on">
            <Icon name="lock" /> {TEXTS.board.waitsOn(numbers(blocked_by_unfinished))}
          </span>
        )}
      </p>
      {assignee !== null && (
        <p className="card-holder">
          <MemberMark handle={assignee} />
          <span>{lease_ends_at === null && status === "pending" ? TEXTS.board.reserved(assignee) : assignee}</span>
          {lease_ends_at !== null && <Left at={lease_ends_at} />}
        </p>
      )}
      {status === "in_review" && reviewer !== null && (
        <p className="card-holder quiet">
          <Icon name="eye" /> {reviewer}
        </p>
      )}
    </>
  );
}
