import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { EventList } from "../delivery/event-list.tsx";
import { Attachments } from "../files/attachments.tsx";
import { type AnswerOf, mayWrite, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { AutoArea } from "../ui/auto-area.tsx";
import { Icon } from "../ui/icons.tsx";
import { MemberMark } from "../ui/member-mark.tsx";
import { Ago } from "../ui/moment.tsx";
import { Section } from "../ui/page.tsx";
import { Answer, Empty } from "../ui/states.tsx";
import { Rich } from "../ui/text.tsx";
import { useCommand } from "../use-command.ts";
import { TaskActions } from "./task-actions.tsx";
import { TaskFacts } from "./task-facts.tsx";

type WholeTask = AnswerOf<"get_task">["task"];

/** A task with everything that belongs to it. */
export function TaskPage({ room, id }: { readonly room: string; readonly id: number }) {
  const { call } = useHub();
  const task = useQuery({
    queryKey: keys.task(room, id),
    queryFn: () => call("get_task", { room, task_id: id, limit: 200 }),
  });
  return (
    <div className="task-page">
      <Link href={`/ui/rooms/${room}/board`} className="back">
        <Icon name="back" /> {TEXTS.board.back}
      </Link>
      <Answer of={task} lines={8}>
        {({ task: whole }) => <Whole room={room} task={whole} />}
      </Answer>
    </div>
  );
}

function Whole({ room, task }: { readonly room: string; readonly task: WholeTask }) {
  const hub = useHub();
  const { board } = TEXTS;
  return (
    <>
      <header className="task-top">
        <h2>
          <bdi>{task.title}</bdi> <span className="quiet">#{task.id}</span>
        </h2>
        {mayWrite(hub) && <TaskActions room={room} task={task} />}
      </header>
      <div className="task-columns">
        <div className="task-text">
          {task.body !== "" && (
            <div className="card">
              <Rich text={task.body} />
            </div>
          )}
          {task.attachments && <Attachments room={room} ids={task.attachments} />}
          <Section title={board.notes} count={task.notes.length}>
            {task.notes.length === 0 && <Empty title={board.noNotes} />}
            <ul className="rows">
              {task.notes.map(({ id, author, ts, body }) => (
                <li key={id}>
                  <MemberMark handle={author} />
                  <div className="row-text">
                    <p className="row-head">
                      <strong>{author}</strong>
                      <span className="quiet">
                        <Ago at={ts} />
                      </span>
                    </p>
                    <Rich text={body} />
                  </div>
                </li>
              ))}
            </ul>
            {mayWrite(hub) && <AddNote room={room} task={task.id} />}
          </Section>
          <Section title={board.history}>
            <History room={room} task={task.id} version={task.version} />
          </Section>
        </div>
        <TaskFacts room={room} task={task} />
      </div>
    </>
  );
}

function AddNote({ room, task }: { readonly room: string; readonly task: number }) {
  const { call } = useHub();
  const [body, setBody] = useState("");
  const add = useCommand(() => call("add_note", { room, task_id: task, body }), {
    touches: [keys.task(room, task)],
    done: () => setBody(""),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (body.trim() !== "") add.mutate();
  };
  return (
    <form className="note-form" onSubmit={onSubmit}>
      <label htmlFor="note">{TEXTS.board.addNote}</label>
      <AutoArea id="note" rows={2} maxLength={16_384} value={body} onText={setBody} />
      <div className="actions left-side">
        <button type="submit" disabled={add.isPending || body.trim() === ""}>
          {TEXTS.board.noteSend}
        </button>
      </div>
    </form>
  );
}

/** What happened to it, asked anew with each version. */
function History({ room, task, version }: { readonly room: string; readonly task: number; readonly version: number }) {
  const { call } = useHub();
  const events = useQuery({
    queryKey: [...keys.task(room, task), "history", version],
    queryFn: () => call("read_events", { room, task_id: task, limit: 100 }),
    placeholderData: (before) => before,
  });
  return <Answer of={events}>{({ events: list }) => <EventList room={room} events={list.toReversed()} />}</Answer>;
}
