import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { Answer, Empty } from "../ui/states.tsx";
import { EventList } from "./event-list.tsx";
import { useMembers } from "./use-members.ts";

/** What happened in a room, the latest first. */
export function Activity({ room }: { readonly room: string }) {
  const { call } = useHub();
  const [kind, setKind] = useState("");
  const [who, setWho] = useState("");
  const events = useInfiniteQuery({
    queryKey: keys.activity(room),
    queryFn: ({ pageParam }) =>
      call("read_events", { room, limit: 100, ...(pageParam !== undefined && { before_id: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => (next && "before_id" in next ? String(next.before_id) : undefined),
  });
  return (
    <div className="activity">
      <Filters room={room} kind={kind} who={who} onKind={setKind} onWho={setWho} />
      <Answer of={events} lines={8}>
        {({ pages }) => {
          const all = pages.flatMap((page) => page.events.toReversed());
          const shown = all.filter(
            (event) => (kind === "" || groupOf(event.kind) === kind) && (who === "" || event.actor === who),
          );
          return shown.length === 0 ? <Empty title={TEXTS.activity.empty} /> : <EventList room={room} events={shown} />;
        }}
      </Answer>
      {events.hasNextPage && (
        <button
          type="button"
          className="small"
          disabled={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
          {TEXTS.older}
        </button>
      )}
    </div>
  );
}

function groupOf(kind: string): string {
  if (kind.startsWith("message")) return "message";
  return kind.startsWith("task_") || kind === "note_added" ? "task" : "room";
}

interface FiltersProps {
  readonly room: string;
  readonly kind: string;
  readonly who: string;
  readonly onKind: (kind: string) => void;
  readonly onWho: (who: string) => void;
}

function Filters({ room, kind, who, onKind, onWho }: FiltersProps) {
  const members = useMembers(room);
  const { activity } = TEXTS;
  return (
    <div className="board-top">
      <label className="inline">
        {activity.kind}
        <select value={kind} onChange={({ target }) => onKind(target.value)}>
          <option value="">{activity.all}</option>
          {Object.entries(activity.kinds).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label className="inline">
        {activity.who}
        <select value={who} onChange={({ target }) => onWho(target.value)}>
          <option value="">{activity.everybody}</option>
          {members.data?.map(({ agent }) => (
            <option key={agent}>{agent}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
