import { useId } from "react";
import { useMembers } from "../delivery/use-members.ts";
import type { Task } from "../hub.ts";
import { linesOf } from "../people/lines.ts";
import { TEXTS } from "../texts.ts";
import { textIn } from "../ui/form.ts";

/** What a task says of itself, to fill in. */
export function TaskFields({ room, task }: { readonly room: string; readonly task?: Task }) {
  const id = useId();
  const { board } = TEXTS;
  return (
    <>
      <label htmlFor={`${id}t`}>{board.name}</label>
      <input id={`${id}t`} name="title" required maxLength={300} defaultValue={task?.title} dir="auto" />
      <label htmlFor={`${id}b`}>{board.body}</label>
      <textarea id={`${id}b`} name="body" rows={5} maxLength={16_384} defaultValue={task?.body} dir="auto" />
      <div className="fields">
        <div>
          <label htmlFor={`${id}p`}>{board.priority}</label>
          <select id={`${id}p`} name="priority" defaultValue={task?.priority ?? 2}>
            {board.priorities.map((text, value) => (
              <option key={text} value={value}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}l`}>{board.labels}</label>
          <input id={`${id}l`} name="labels" defaultValue={task?.labels.join(", ")} />
        </div>
        <div>
          <label htmlFor={`${id}d`}>{board.dependsOn}</label>
          <input id={`${id}d`} name="depends_on" defaultValue={task?.depends_on.join(", ")} pattern="[#\d, ]*" />
        </div>
      </div>
      <label htmlFor={`${id}k`}>{board.links}</label>
      <textarea id={`${id}k`} name="links" rows={2} defaultValue={task?.links.join("\n")} />
      <div className="fields">
        {!task && <MemberChoice room={room} name="assignee" label={board.assignee} />}
        <MemberChoice room={room} name="responsible" label={board.responsible} value={task?.responsible} />
        <MemberChoice room={room} name="reviewer" label={board.reviewer} value={task?.reviewer} />
      </div>
    </>
  );
}

interface MemberChoiceProps {
  readonly room: string;
  readonly name: string;
  readonly label: string;
  readonly value?: string | null | undefined;
}

function MemberChoice({ room, name, label, value }: MemberChoiceProps) {
  const id = useId();
  const { data } = useMembers(room);
  const handles = data?.map(({ agent }) => agent) ?? [];
  const shown = value && !handles.includes(value) ? [value, ...handles] : handles;
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select key={shown.length} id={id} name={name} defaultValue={value ?? ""}>
        <option value="">{TEXTS.board.nobody}</option>
        {shown.map((handle) => (
          <option key={handle}>{handle}</option>
        ))}
      </select>
    </div>
  );
}

export function readFields(form: FormData) {
  const text = (name: string) => textIn(form, name);
  const words = (name: string) =>
    text(name)
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "");
  return {
    title: text("title").trim(),
    body: text("body"),
    priority: Number(text("priority")),
    labels: words("labels"),
    links: linesOf(text("links")),
    depends_on: words("depends_on").map((word) => Number(word.replace("#", ""))),
    assignee: text("assignee"),
    responsible: text("responsible"),
    reviewer: text("reviewer"),
  };
}
