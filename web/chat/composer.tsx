import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { useMembers } from "../delivery/use-members.ts";
import { type AnswerOf, type Message, newKey, useHub } from "../hub.ts";
import { keys } from "../keys.ts";
import { TEXTS } from "../texts.ts";
import { AutoArea } from "../ui/auto-area.tsx";
import type { useAttachments } from "./use-attachments.tsx";
import { Icon } from "../ui/icons.tsx";
import { tell, tellProblem } from "../ui/toasts.tsx";
import { useCommand } from "../use-command.ts";
import { catchUpMessages } from "./messages.ts";

interface ComposerProps {
  readonly room: string;
  readonly replyTo?: Message | undefined;
  readonly onReplyTo?: (message: Message | undefined) => void;
  /** Files to go along. */
  readonly files?: ReturnType<typeof useAttachments>;
}

/** The field for the next message. What could not be sent stays in it. */
export function Composer({ room, replyTo, onReplyTo, files }: ComposerProps) {
  const id = useId();
  const [body, setBody] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const names = useNames(room, body, setBody);
  const send = useSend(room, replyTo, files?.ids ?? [], () => {
    setBody("");
    files?.clear();
    onReplyTo?.(undefined);
  });
  useFocusFor(onReplyTo && replyTo, form);

  const onSend = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (body.trim() !== "" && !send.isPending) send.mutate(body);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (names.onKeyDown(event)) return;
    if (event.key === "Escape") onReplyTo?.(undefined);
    if (sends(event)) onSend(event);
  };
  return (
    <form ref={form} className="composer" onSubmit={onSend}>
      {onReplyTo && <InAnswerTo message={replyTo} onCancel={() => onReplyTo(undefined)} />}
      {names.list}
      {files?.list}
      <div className="composer-line">
        <label className="out-of-sight" htmlFor={id}>
          {TEXTS.chat.write}
        </label>
        <AutoArea
          id={id}
          rows={1}
          maxLength={16_384}
          placeholder={replyTo ? TEXTS.chat.writeAnswer(replyTo.id) : TEXTS.chat.writeTo(room)}
          value={body}
          onText={setBody}
          onKeyDown={onKeyDown}
          onPaste={files?.onPaste}
        />
        {files?.button}
        <SendButton isReady={!send.isPending && body.trim() !== ""} />
      </div>
    </form>
  );
}

function SendButton({ isReady }: { readonly isReady: boolean }) {
  return (
    <button type="submit" className="main send" disabled={!isReady} aria-label={TEXTS.chat.send}>
      <Icon name="send" />
    </button>
  );
}

/** Whoever presses Reply goes on by typing. */
function useFocusFor(replyTo: Message | undefined, form: RefObject<HTMLFormElement | null>) {
  useEffect(() => {
    if (replyTo) form.current?.querySelector("textarea")?.focus();
  }, [replyTo, form]);
}

interface InAnswerToProps {
  readonly message: Message | undefined;
  readonly onCancel: () => void;
}

function InAnswerTo({ message, onCancel }: InAnswerToProps) {
  if (!message) return null;
  return (
    <p className="reply-to">
      <span>{TEXTS.chat.replyTo(message.id, message.author)}</span>
      <button type="button" className="bare" aria-label={TEXTS.cancel} onClick={onCancel}>
        <Icon name="close" />
      </button>
    </p>
  );
}

/** Sends a message; the same text to the same message is sent once, however often it is tried. */
function useSend(room: string, replyTo: Message | undefined, files: readonly number[], onSent: () => void) {
  const hub = useHub();
  const queries = useQueryClient();
  const attempt = useRef({ text: "", key: "" });
  const reply_to = replyTo?.id;
  return useCommand(
    (body: string) => {
      const text = `${reply_to ?? ""} ${files.join()} ${body}`;
      if (attempt.current.text !== text) attempt.current = { text, key: newKey() };
      const attachments = files.length > 0 ? [...files] : undefined;
      return hub.call("post_message", { room, body, reply_to, attachments, idempotency_key: attempt.current.key });
    },
    {
      touches: [keys.threads(room)],
      done({ mentioned, _warning }) {
        attempt.current = { text: "", key: "" };
        onSent();
        if (mentioned.length > 0) tell(reachOf(mentioned));
        if (_warning !== undefined) tellProblem(new Error(_warning));
        void catchUpMessages(hub, queries, room);
      },
    },
  );
}

/** On a phone Enter begins a line, as everywhere there. */
const sends = ({ key, shiftKey, nativeEvent }: KeyboardEvent): boolean =>
  key === "Enter" && !shiftKey && !nativeEvent.isComposing && !matchMedia("(pointer: coarse)").matches;

function reachOf(mentioned: AnswerOf<"post_message">["mentioned"]): string {
  return mentioned
    .slice(0, 5)
    .map(({ handle, paths }) =>
      TEXTS.chat.reached(handle, paths.length > 0 ? TEXTS.chat.livePaths(paths.join(", ")) : TEXTS.chat.noPath),
    )
    .join(" · ");
}

const MOST_NAMES = 6;
const BEGUN = /(?:^|\s)@([a-z0-9_-]*)$/;

/** Offers the members whose handle goes on as typed behind an @. */
function useNames(room: string, body: string, setBody: (body: string) => void) {
  const { data } = useMembers(room);
  const [at, setAt] = useState(0);
  const begun = BEGUN.exec(body)?.[1];
  const handles = ["room", ...(data ?? []).filter(({ is_you }) => !is_you).map(({ agent }) => agent)];
  const isWhole = begun !== undefined && handles.includes(begun);
  const fitting =
    begun === undefined
      ? []
      : handles.filter((handle) => handle.startsWith(begun) && handle !== begun).slice(0, MOST_NAMES);
  const chosen = fitting[Math.min(at, fitting.length - 1)];
  const take = (handle: string) => {
    setBody(`${body.slice(0, body.length - (begun?.length ?? 0))}${handle} `);
    setAt(0);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (chosen === undefined) return false;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : fitting.length - 1;
      setAt((now) => (now + step) % fitting.length);
    } else if (event.key === "Tab" || (event.key === "Enter" && begun !== "" && !isWhole)) take(chosen);
    else return false;
    event.preventDefault();
    return true;
  };
  const list = fitting.length > 0 && (
    <div className="names" role="group" aria-label={TEXTS.chat.suggestions}>
      {fitting.map((handle) => (
        <button key={handle} type="button" aria-pressed={handle === chosen} onClick={() => take(handle)}>
          @{handle}
        </button>
      ))}
    </div>
  );
  return { list, onKeyDown };
}
