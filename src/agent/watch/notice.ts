import { onOneLine } from "../../core/frame.ts";
import type { StreamFrame } from "../../client/event-stream.ts";
import type { Notice } from "./lines.ts";

/** The parts of the stream's frames that are looked at; see `followStream`. */
interface ActivityFrame {
  readonly id: number;
  readonly kind: string;
  readonly actor: string;
  readonly task_id: number | null;
  readonly message_id: number | null;
  readonly file_id?: number;
  readonly detail: string;
  readonly by_you: boolean;
  readonly for_you?: true;
}
interface ChatFrame {
  readonly id: number;
  readonly body: string;
}
interface QuestionFrame {
  readonly id: number;
  readonly kind: string;
  readonly actor: string;
  readonly message_id: number;
  readonly by_you: boolean;
  readonly for_you?: true;
}

/** For whom frames are read. */
interface Reader {
  readonly owner: string | undefined;
  readonly isNamed: (text: string) => boolean;
}

/** What a frame tells of, if the agent did not do it itself. A message's own text comes in the frame before, so it is kept until then. */
export function openNotices(reader: () => Reader) {
  let body = { id: 0, text: "" };

  return ({ event, data }: StreamFrame): Notice | undefined => {
    if (event === "chat") {
      const { id, body: text } = JSON.parse(data) as ChatFrame; // the event's name says so
      body = { id, text };
      return undefined;
    }
    if (event === "question") {
      const { id, kind, actor, message_id, by_you, for_you } = JSON.parse(data) as QuestionFrame; // the same
      // A person and its agents are one side: what it does is no news to them, unless it is for this one.
      const isOwn = by_you || (actor === reader().owner && !for_you);
      return isOwn ? undefined : noticeOf(id, `q${message_id} ${kind}`, actor, true);
    }
    if (event !== "activity") return undefined;
    const { id, kind, actor, task_id, message_id, file_id, detail, by_you, for_you } = JSON.parse(
      data,
    ) as ActivityFrame; // the same
    if (by_you || kind === "wakes_paused") return undefined;
    const subject = task_id === null ? (file_id === undefined ? "" : `f${file_id} `) : `#${task_id} `;
    const what = kind === "message" ? `m${message_id}` : `${subject}${kind}`;
    const text = kind === "message" && message_id === body.id ? body.text : detail;
    return noticeOf(id, what, actor, for_you === true || reader().isNamed(text));
  };
}

function noticeOf(id: number, what: string, by: string, forAgent: boolean): Notice {
  return { id, what: onOneLine(what), by: onOneLine(by), forAgent };
}
