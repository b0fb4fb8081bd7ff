import { Link } from "wouter";
import type { Event, Status } from "../hub.ts";
import { TEXTS } from "../texts.ts";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago } from "../ui/moment.tsx";
import { writtenOut } from "../ui/text.tsx";

/** What happened, a line each, in the order given. */
export function EventList({ room, events }: { readonly room: string; readonly events: readonly Event[] }) {
  return (
    <ul className="rows events">
      {events.map((event) => (
        <EventRow key={event.id} room={room} event={event} />
      ))}
    </ul>
  );
}

/** A task's new status in the words of the board. */
function inWords(detail: string): string {
  return writtenOut(detail).replace(/\bstatus=(\w+)/, (all, status: string) => {
    const { statuses } = TEXTS.board;
    return status in statuses ? statuses[status as Status].toLowerCase() : all;
  });
}

function EventRow({ room, event }: { readonly room: string; readonly event: Event }) {
  const { actor, kind, ts, task_id, message_id, detail } = event;
  return (
    <li>
      <MemberMark handle={actor} />
      <div className="row-text">
        <p className="row-head">
          <strong>{actor}</strong> <span>{TEXTS.activity.words[kind] ?? kind.replaceAll("_", " ")}</span>
          {task_id !== null && <Link href={`/ui/rooms/${room}/tasks/${task_id}`}>#{task_id}</Link>}
          {message_id !== null && <Link href={`/ui/rooms/${room}/chat?m=${message_id}`}>m{message_id}</Link>}
          <span className="quiet">
            <Ago at={ts} />
          </span>
        </p>
        {detail !== "" && (
          <p className="quiet detail" dir="auto">
            {inWords(detail)}
          </p>
        )}
      </div>
    </li>
  );
}
