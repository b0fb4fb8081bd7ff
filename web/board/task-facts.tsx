import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Task } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Fact } from "../ui/fact.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago, Left } from "../ui/moment.tsx";
import { OutLink } from "../ui/out-link.tsx";
import { StatusChip } from "./status-chip.tsx";

/** What is known of a task, beside its text. */
export function TaskFacts({ room, task }: { readonly room: string; readonly task: Task }) {
  const { board } = TEXTS;
  const { assignee, lease_ends_at, responsible, reviewer, labels, links, depends_on } = task;
  return (
    <dl className="facts card">
      <Fact name={board.status}>
        <StatusChip status={task.status} />
      </Fact>
      <Fact name={board.heldBy}>
        <Holder task={task} />
      </Fact>
      {assignee !== null && task.status === "in_progress" && (
        <Fact name={board.lease}>{lease_ends_at === null ? board.noLease : <Left at={lease_ends_at} />}</Fact>
      )}
      <Fact name={board.priority}>{board.priorities[task.priority]}</Fact>
      {responsible !== null && <Fact name={board.responsible}>{responsible}</Fact>}
      {reviewer !== null && <Fact name={board.reviewer}>{reviewer}</Fact>}
      {some(labels, board.labelled, (label) => (
        <span key={label} className="chip">
          {label}
        </span>
      ))}
      {some(depends_on, board.needs, (id) => (
        <Link key={id} href={`/ui/rooms/${room}/tasks/${id}`} className={isOpen(task, id) ? "chip urgent" : "chip"}>
          #{id}
        </Link>
      ))}
      {some(links, board.linked, (link) => (
        <span key={link}>
          <OutLink href={link} shows={link} />
        </span>
      ))}
      <Fact name={board.createdBy}>
        {task.created_by}, <Ago at={task.created_ts} />
      </Fact>
      <Fact name={board.updated}>
        <Ago at={task.updated_ts} />
      </Fact>
    </dl>
  );
}

const isOpen = ({ blocked_by_unfinished }: Task, id: number): boolean => blocked_by_unfinished.includes(id);

function some<Item>(items: readonly Item[], name: string, show: (item: Item) => ReactNode) {
  return items.length > 0 && <Fact name={name}>{items.map(show)}</Fact>;
}

function Holder({ task: { assignee, status } }: { readonly task: Task }) {
  if (assignee === null) return TEXTS.board.free;
  return (
    <span className="card-holder">
      <MemberMark handle={assignee} />
      {status === "pending" ? TEXTS.board.reserved(assignee) : assignee}
    </span>
  );
}
