import {
  type Announcements,
  closestCenter,
  DndContext,
  DragOverlay,
  type DragEndEvent,
  KeyboardSensor,
  type KeyboardCoordinateGetter,
  MouseSensor,
  TouchSensor,
  useDroppable,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { useState } from "react";
import { mayWrite, type Status, type Task, useHub } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Icon } from "../ui/icons.tsx";
import { Answer } from "../ui/states.tsx";
import { CardBody, TaskCard } from "./task-card.tsx";
import { STATUSES } from "./moves.ts";
import { NewTask } from "./task-dialogs.tsx";
import { inColumn, useMove, useTasks } from "./use-tasks.ts";

/** A room's tasks in columns. Cards are dragged by mouse, finger or keyboard, or moved by the choice on each. */
export function Board({ room }: { readonly room: string }) {
  const hub = useHub();
  const tasks = useTasks(room);
  const [isAdding, setAdding] = useState(false);
  const [label, setLabel] = useState("");
  const labels = [...new Set(tasks.data?.flatMap((task) => task.labels) ?? [])].toSorted();
  return (
    <div className="board-place">
      <div className="board-top">
        {labels.length > 0 && (
          <label className="inline">
            {TEXTS.board.filterLabel}
            <select value={label} onChange={({ target }) => setLabel(target.value)}>
              <option value="">{TEXTS.board.anyLabel}</option>
              {labels.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        {mayWrite(hub) && (
          <button type="button" className="small" onClick={() => setAdding(true)}>
            <Icon name="plus" /> {TEXTS.board.add}
          </button>
        )}
      </div>
      <Answer of={tasks} lines={6}>
        {(all) => (
          <Columns room={room} tasks={label === "" ? all : all.filter((task) => task.labels.includes(label))} />
        )}
      </Answer>
      {isAdding && <NewTask room={room} onClose={() => setAdding(false)} />}
    </div>
  );
}

function Columns({ room, tasks }: { readonly room: string; readonly tasks: readonly Task[] }) {
  const move = useMove(room);
  const [lifted, setLifted] = useState<Task>();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextColumn }),
  );
  const find = (id: string | number) => tasks.find((task) => task.id === id);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    setLifted(undefined);
    const task = find(active.id);
    const to = STATUSES.find((status) => status === over?.id);
    if (task && to && to !== task.status) move.mutate({ task, to });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{
        announcements: announcementsFor(find),
        screenReaderInstructions: { draggable: TEXTS.board.hint },
      }}
      onDragStart={({ active }) => setLifted(find(active.id))}
      onDragCancel={() => setLifted(undefined)}
      onDragEnd={onDragEnd}
    >
      <div className="board" tabIndex={0} role="group" aria-label={TEXTS.board.title}>
        {STATUSES.map((status) => (
          <Column
            key={status}
            status={status}
            tasks={inColumn(tasks, status)}
            onMove={(task, to) => move.mutate({ task, to })}
          />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {lifted && (
          <div className="task-card lifted">
            <CardBody task={lifted} />
          </div>
        )}
      </DragOverlay>
    </DndContext>
  );
}

interface ColumnProps {
  readonly status: Status;
  readonly tasks: readonly Task[];
  readonly onMove: (task: Task, to: Status) => void;
}

function Column({ status, tasks, onMove }: ColumnProps) {
  const { setNodeRef, isOver } = useDroppable({ id: status });
  const name = TEXTS.board.statuses[status];
  return (
    <section ref={setNodeRef} className={isOver ? "column over" : "column"} aria-label={name}>
      <h2 className={`column-title status-${status}`}>
        {name} <span className="quiet">{tasks.length}</span>
      </h2>
      {tasks.length === 0 && <p className="quiet column-empty">{TEXTS.board.emptyColumn}</p>}
      <ul>
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} onMove={(to) => onMove(task, to)} />
        ))}
      </ul>
    </section>
  );
}

/** Left and right lead from column to column, not pixel by pixel. */
const toNextColumn: KeyboardCoordinateGetter = (event, { currentCoordinates, context }) => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 }[event.code];
  if (step === undefined) return undefined;
  event.preventDefault();
  const here = STATUSES.findIndex((status) => status === context.over?.id);
  const next = STATUSES[Math.min(Math.max((here < 0 ? 0 : here) + step, 0), STATUSES.length - 1)];
  const place = next && context.droppableRects.get(next);
  const card = context.collisionRect;
  if (!place || !card) return currentCoordinates;
  return { x: place.left + (place.width - card.width) / 2, y: place.top + (place.height - card.height) / 2 };
};

function announcementsFor(find: (id: string | number) => Task | undefined): Announcements {
  const { board } = TEXTS;
  const nameOf = (id: string | number | undefined) =>
    board.statuses[STATUSES.find((status) => status === id) ?? "pending"];
  return {
    onDragStart: ({ active }) => board.lifted(find(active.id)?.title ?? ""),
    onDragOver: ({ over }) => (over ? board.over(nameOf(over.id)) : undefined),
    onDragEnd: ({ over }) => (over ? board.dropped(nameOf(over.id)) : board.left),
    onDragCancel: () => board.left,
  };
}
