import { Link } from "wouter";
import type { Task } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { Left } from "../ui/moment.tsx";
import { StatusChip } from "./status-chip.tsx";

/** A task in a list, with how long its claim lasts. */
export function TaskRow({ task }: { readonly task: Task }) {
  const { id, room, title, status, lease_ends_at, blocked_by_unfinished } = task;
  return (
    <li>
      <StatusChip status={status} />
      <div className="row-text">
        <p className="row-head">
          <Link href={`/ui/rooms/${room}/tasks/${id}`}>
            <bdi>{title}</bdi>
          </Link>
          <span className="quiet">
            {room} #{id}
            {blocked_by_unfinished.length > 0 && ` · ${TEXTS.board.waitsOn(numbers(blocked_by_unfinished))}`}
          </span>
        </p>
      </div>
      {lease_ends_at !== null && <Left at={lease_ends_at} />}
    </li>
  );
}

export const numbers = (ids: readonly number[]): string => ids.map((id) => `#${id}`).join(", ");
